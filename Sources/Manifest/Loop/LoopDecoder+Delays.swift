import Diagnostics
import Expressions
import Records

extension LoopDecoder {
    /// The delayed transitions of a case that are due at the same time.
    struct Delayed {
        let event: EventModel
        var transitions: [TransitionModel]
    }

    /// Decodes `[loops.X.after]`: one event for each case and duration, in the order written.
    func decodeDelays(_ after: TableReader) -> [Delayed] {
        guard hasCases else { return [] }
        var result: [Delayed] = []
        var indices: [DelayModel: Int] = [:]
        for entry in after.named {
            guard let index = stateCase(entry.key, at: entry.keySpan) else { continue }
            let cases = CaseScope(of: stateType, cases: [index], key: nil)
            for node in entry.value.oneOrSeveral {
                guard node.kind == .table else {
                    after.wrongType(node, of: entry.key, expected: "a table")
                    continue
                }
                let table = after.reader(
                    of: TOMLEntry(key: entry.key, keySpan: entry.keySpan, value: node), .delayed)
                table.missing("delay", help: "say how long, such as `delay = \"30s\"`")
                let duration = table.value("delay").flatMap(decodeDelay)
                let delay = DelayModel(stateCase: index, duration: duration ?? .zero)
                let transitions = decodeTransition(
                    table, in: cases, events: nil, cause: .delay(delay),
                    table.table("let", .delayedLet).map { [$0] } ?? [])
                guard duration != nil else { continue }
                if let same = indices[delay] {
                    result[same].transitions += transitions[0]
                } else {
                    let event = EventModel(
                        name: "after:\(entry.key)", type: DelayModel.payload, delay: delay,
                        span: entry.keySpan)
                    indices[delay] = result.count
                    result.append(Delayed(event: event, transitions: transitions[0]))
                }
            }
        }
        return result
    }

    /// Decodes `delay`: a duration, or an expression over `config` that results in one. Nil after a report.
    private func decodeDelay(_ node: TOMLNode) -> Duration? {
        guard let text = manifest.expressionText(node, as: .duration) else { return nil }
        let config = manifest.config
        let scope = ExpressionScope(config: config.type)
        let values = manifest.compile(text, in: scope) { expression throws(TextFault) -> Duration in
            let whole = 0..<text.text.text.utf8.count
            guard expression.type == .duration else {
                throw TextFault(
                    ManifestCode.malformedDelay.code, "`delay` is \(expression.type.name), not a duration",
                    at: whole,
                    help: ["write a duration such as `30s`, or the name of a constant: `config.patience`"])
            }
            guard case .duration(let nanoseconds) = try Self.value(of: expression, config) else {
                throw TextFault(ManifestCode.malformedDelay.code, "`delay` has no value", at: whole)
            }
            guard nanoseconds >= 0 else {
                throw TextFault(
                    ManifestCode.malformedDelay.code, "a delay cannot be negative", at: whole,
                    label: "this is \(TimeText.duration(nanoseconds: nanoseconds))")
            }
            return .nanoseconds(nanoseconds)
        }
        return values?[0]
    }

    /// The value of an expression over `config`.
    static func value(of expression: Expression, _ config: Record) throws(TextFault) -> Value {
        do {
            return try expression.evaluate(with: [FrameSlot.config.rawValue: config])
        } catch {
            throw error.textFault
        }
    }
}
