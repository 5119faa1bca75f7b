import Diagnostics
import Expressions
import Records

/// One line of `spinhost eval --jsonl`: `{"expr": …, "bindings": {…}}`; other keys are the user's.
enum EvalLine {
    /// The value, or `{"error": {"code": …, "message": …}}`; a line that is no such object has no code.
    static func answer(to line: String, isTyped: Bool) -> Value {
        do {
            let entry = try Value(json: line)
            guard case .string(let text)? = entry["expr"] else {
                throw RecordError(.wrongType, "`{\"expr\": …, \"bindings\": {…}}` is expected")
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
