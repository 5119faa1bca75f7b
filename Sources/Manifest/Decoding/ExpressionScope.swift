import Expressions
import Records

/// What the names in an expression mean, for one event or for several.
///
/// Payloads of different events lie differently in memory. With several, an expression may use what all of them have,
/// and is compiled once for each.
struct ExpressionScope {
    /// What messages are about: what all events have. Nil when there are not several.
    let common: Scope?
    /// One for each event; exactly one when there is no event.
    let variants: [Scope]

    private init(common: Scope?, variants: [Scope]) { (self.common, self.variants) = (common, variants) }

    /// State and constants: what `until` sees.
    init(state: RecordType, config: RecordType) {
        self.init(
            common: nil,
            variants: [
                Scope([
                    Scope.Variable(name: "state", type: .record(state), slot: FrameSlot.state.rawValue),
                    Scope.Variable(name: "config", type: .record(config), slot: FrameSlot.config.rawValue),
                ])
            ])
    }

    /// The same with the time of the step.
    var withTime: ExpressionScope {
        adding([Scope.Variable(name: "now", type: .timestamp, slot: FrameSlot.now.rawValue)])
    }

    /// The same with `event`, once for each of these types.
    ///
    /// - Precondition: at least one type, and a single variant so far.
    func with(events: [RecordType]) -> ExpressionScope {
        precondition(!events.isEmpty && variants.count == 1, "events are added once")
        func scope(_ type: RecordType) -> Scope {
            Scope(
                variants[0].variables
                    + [Scope.Variable(name: "event", type: .record(type), slot: FrameSlot.event.rawValue)])
        }
        var common: RecordType?
        if events.count > 1 {
            common = RecordType(
                events[0].fields.filter { field in
                    let type = ExpressionType(field.type)
                    return events.allSatisfy { $0.field(field.name).map { ExpressionType($0.type) } == type }
                }.map { ($0.name, $0.type) })
        }
        return ExpressionScope(common: common.map(scope), variants: events.map(scope))
    }

    /// The same with what a call answered.
    func with(outcome: RecordType) -> ExpressionScope {
        adding(
            outcome.fields.map {
                Scope.Variable(name: $0.name, type: $0.type, slot: FrameSlot.call.rawValue, offset: $0.offset)
            })
    }

    /// The same with the payload of an emission.
    func with(value: RecordType) -> ExpressionScope {
        adding([Scope.Variable(name: "value", type: .record(value), slot: FrameSlot.value.rawValue)])
    }

    /// The same with the payload of a gear's message.
    func with(message: RecordType) -> ExpressionScope {
        adding([Scope.Variable(name: "message", type: .record(message), slot: FrameSlot.message.rawValue)])
    }

    private func adding(_ variables: [Scope.Variable]) -> ExpressionScope {
        ExpressionScope(
            common: common.map { Scope($0.variables + variables) },
            variants: variants.map { Scope($0.variables + variables) })
    }
}
