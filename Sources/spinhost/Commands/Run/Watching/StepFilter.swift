import Control
import Diagnostics
import Expressions
import Records

/// An expression in CEL that chooses steps.
struct StepFilter {
    private static let names = ["loop_name", "step", "event", "payload", "origin", "before", "state"]

    private let expression: Expression

    /// Nil for a text that is nil.
    ///
    /// - Throws: the reason why the text is no expression.
    init?(_ text: String?) throws(ControlFault) {
        guard let text else { return nil }
        do { expression = try Expression(text, in: Scope(untyped: Self.names)) } catch {
            throw ControlFault(
                .invalidFilter, "`\(text)` is no filter: \(error.message)",
                help: ["a filter reads \(Self.names.map { "`\($0)`" }.joined(separator: ", "))"])
        }
    }

    /// Whether the expression is true for a step. It is not if it has no value: a step of another loop may not have the
    /// fields that the expression reads.
    func holds(_ step: PastStep) -> Bool {
        let values: [Value] = [
            .string(step.loop), .int(Int64(clamping: step.number)), .string(step.event), step.payload.value,
            .string(step.origin), step.before.value, step.after.value,
        ]
        return (try? expression.evaluate(with: values)) == .bool(true)
    }
}
