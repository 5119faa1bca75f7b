import Expressions
import Records

/// What the names in an expression mean, for one event or for several, in one case of the state or in several.
///
/// Payloads of different events lie differently in memory, and so do states of different cases. With several, an
/// expression may use what all of them have, and is compiled once for each.
struct ExpressionScope {
    /// The names as they are for one event, in one case.
    struct Variant {
        /// The event, as an index into those given to `with(events:)`; nil without.
        let event: Int?
        /// The case of the state, as an index into the cases of its type; nil: any.
        let stateCase: Int?
        fileprivate(set) var scope: Scope
    }

    /// What messages are about: what all variants have. Nil when there are not several.
    let common: Variant?
    /// One for each event, and for each of those one for each case; exactly one without events and cases.
    let variants: [Variant]
    /// Which fields of the state are not in scope, and why.
    let cases: CaseScope

    private init(common: Variant?, variants: [Variant], cases: CaseScope) {
        (self.common, self.variants, self.cases) = (common, variants, cases)
    }

    /// State and constants, as `until` sees them when the state may be in any case.
    init(state: RecordType, config: RecordType) {
        self.init(cases: CaseScope(of: state, cases: nil, key: nil), config: config)
    }

    /// State and constants in some cases of the state.
    init(cases: CaseScope, config: RecordType) {
        func variant(_ type: RecordType, _ stateCase: Int?) -> Variant {
            Variant(
                event: nil, stateCase: stateCase,
                scope: Scope([
                    Scope.Variable(name: "state", type: .record(type), slot: FrameSlot.state.rawValue),
                    Scope.Variable(name: "config", type: .record(config), slot: FrameSlot.config.rawValue),
                ]))
        }
        let all = cases.cases?.map { variant(cases.type.narrowed(toCase: $0), $0) }
        self.init(
            common: all.flatMap { $0.count > 1 ? variant(cases.common, nil) : nil },
            variants: all ?? [variant(cases.type, nil)], cases: cases)
    }

    /// Constants alone.
    init(config: RecordType) {
        let scope = Scope([
            Scope.Variable(name: "config", type: .record(config), slot: FrameSlot.config.rawValue)
        ])
        self.init(
            common: nil, variants: [Variant(event: nil, stateCase: nil, scope: scope)],
            cases: CaseScope(of: RecordType([]), cases: nil, key: nil))
    }

    /// The same with the time of the step.
    var withTime: ExpressionScope {
        adding([Scope.Variable(name: "now", type: .timestamp, slot: FrameSlot.now.rawValue)])
    }

    /// The same with `event`, once for each of these; `event.case` is its name.
    ///
    /// - Precondition: at least one event, and no events so far.
    func with(events: [EventModel]) -> ExpressionScope {
        precondition(!events.isEmpty && variants.allSatisfy { $0.event == nil }, "events are added once")
        let names = EnumerationType(members: events.map(\.name))
        func adding(_ type: RecordType, _ event: Int?, to variant: Variant) -> Variant {
            let payload = Scope.Variable(
                name: "event", type: .record(type), slot: FrameSlot.event.rawValue)
            let name = Scope.Constant(name: "event.case", member: names.members[event ?? 0], of: names)
            return Variant(
                event: event, stateCase: variant.stateCase,
                scope: variant.scope.adding([payload], constants: [name]))
        }
        let isSeveral = events.count > 1 || variants.count > 1
        let common = RecordType.common(of: events.map(\.type))
        return ExpressionScope(
            common: isSeveral ? adding(common, nil, to: self.common ?? variants[0]) : nil,
            variants: events.enumerated().flatMap { index, event in
                variants.map { adding(event.type, index, to: $0) }
            }, cases: cases)
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

    /// The same with an item of the list that `trigger = { each = … }` names.
    func with(item: ValueType) -> ExpressionScope {
        adding([Scope.Variable(name: "item", type: item, slot: FrameSlot.item.rawValue)])
    }

    /// The same with why a run has failed.
    func with(error: RecordType) -> ExpressionScope {
        adding([Scope.Variable(name: "error", type: .record(error), slot: FrameSlot.error.rawValue)])
    }

    private func adding(_ variables: [Scope.Variable]) -> ExpressionScope {
        func adding(to variant: Variant) -> Variant {
            var variant = variant
            variant.scope = variant.scope.adding(variables)
            return variant
        }
        return ExpressionScope(common: common.map(adding), variants: variants.map(adding), cases: cases)
    }
}

extension RecordType {
    /// The fields that all of these have by name and type, as expressions see types. Where they lie means nothing when
    /// there are several.
    static func common(of types: [RecordType]) -> RecordType {
        guard types.count > 1 else { return types[0] }
        return RecordType(
            types[0].fields.filter { field in
                let type = ExpressionType(field.type)
                return types.allSatisfy { $0.field(field.name).map { ExpressionType($0.type) } == type }
            }.map { ($0.name, $0.type) })
    }
}
