import Control
import Diagnostics
import Expressions
import Manifest
import Records

/// An expression in CEL that chooses steps.
struct StepFilter {
    private static let names = ["loop_name", "key", "step", "event", "payload", "origin", "before", "state"]

    private let expression: Expression

    /// Nil for a text that is nil.
    ///
    /// - Parameter loops: the loops whose steps it chooses from now on. At least one of them must have each field
    ///   that the expression reads. Nil for steps of the past, which may come from another manifest.
    /// - Throws: the reason why the text is no expression, or which name or field does not exist.
    init?(_ text: String?, of loops: [LoopModel]? = nil) throws(ControlFault) {
        guard let text else { return nil }
        do { expression = try Expression(text, in: Scope(untyped: Self.names)) } catch {
            throw ControlFault(
                .invalidFilter, "`\(text)` is no filter: \(error.message)",
                help: ["a filter reads \(Self.names.map { "`\($0)`" }.joined(separator: ", "))"])
        }
        for use in expression.names {
            guard Self.names.contains(use.name) else {
                throw ControlFault(
                    .invalidFilter, "`\(text)` is no filter: unknown name `\(use.name)`", of: use.name,
                    among: Self.names, called: "a filter reads")
            }
            guard let loops, let field = use.field, let known = Self.fields(of: use.name, loops),
                !known.contains(field)
            else { continue }
            throw ControlFault(
                .invalidFilter, "`\(text)` is no filter: no watched loop has `\(use.name).\(field)`",
                of: field,
                among: known, called: "`\(use.name)` has")
        }
    }

    /// The fields that a name has in at least one of these loops; nil for a name without fields.
    private static func fields(of name: String, _ loops: [LoopModel]) -> [String]? {
        let types: [RecordType]
        switch name {
        case "before", "state": types = loops.map(\.stateType)
        case "payload": types = loops.flatMap(\.events).map(\.type)
        default: return nil
        }
        let fields = types.flatMap { $0.fields + $0.cases.flatMap(\.fields) }.map(\.name)
        var seen: Set<String> = []
        return fields.filter { seen.insert($0).inserted }
    }

    /// Whether the expression is true for a step. It is not if it has no value: a step of another loop may not have the
    /// fields that the expression reads.
    func holds(_ step: PastStep) -> Bool {
        let values: [Value] = [
            .string(step.loop), step.key?.value ?? .null, .int(Int64(clamping: step.number)),
            .string(step.event), step.payload.value,
            .string(step.origin), step.before.value, step.after.value,
        ]
        return (try? expression.evaluate(with: values)) == .bool(true)
    }
}
