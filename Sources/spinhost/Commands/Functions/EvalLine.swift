import Diagnostics
import Expressions
import Records

/// One line of `spinhost eval --jsonl`: `{"expr": …, "bindings": {…}}`. Other keys are ignored.
enum EvalLine {
    /// The value, or `{"error": {"code": …, "message": …}}`; for a malformed line, an error without code.
    static func answer(to line: String, isTyped: Bool) -> Value {
        do {
            let entry = try Value(json: line)
            guard case .string(let text)? = entry["expr"] else {
                throw RecordError(.wrongType, "expected `{\"expr\": …, \"bindings\": {…}}`")
            }
            let names = try BoundNames(entry["bindings"] ?? .map([]), isTyped: isTyped)
            let value = try Expression(text, in: names.scope).evaluate(with: names.values)
            return isTyped ? TypedValue.json(of: value) : value
        } catch let fault as TextFault {
            return error(fault.message, fault.code)
        } catch let fault as EvaluationFault {
            return error(fault.message, fault.code)
        } catch {
            return Self.error("\(error)", nil)
        }
    }

    private static func error(_ message: String, _ code: DiagnosticCode?) -> Value {
        let code = code.map { [("code", Value.string($0.rawValue))] } ?? []
        return .record([("error", .record(code + [("message", .string(message))]))])
    }
}
