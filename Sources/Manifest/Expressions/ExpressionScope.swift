import Expressions
import Records

/// The meaning of names in an expression, for one or several events and one or several cases of the state.
///
/// Payloads of different events have different layouts, and so have states in different cases. With several
/// of them, an expression may use the fields that all of them have, and is compiled once for each.
struct ExpressionScope {
    /// The names for one event and one case.
    struct Variant {
        /// The event, as an index into the argument of `with(events:)`; nil without an event.
        let event: Int?
        /// The case of the state, as an index into the cases of its type; nil for any case.
        let stateCase: Int?
        fileprivate(set) var scope: Scope
    }

    /// The names that all variants share. Error messages refer to it. Nil for a single variant.
    let common: Variant?
    /// One variant for each event and case, ordered by event; exactly one without events and cases.
    let variants: [Variant]
    /// The possible cases of the state, which decide which of its fields are in scope.
    let cases: CaseScope

    /// The entries of `let` that an expression of it cannot use: its own, and those below it.
    var below: ArraySlice<TOMLEntry> = []

    /// The names that the scopes of a loop add to its expressions.
    static let names: Set = [
        "state", "config", "now", KeyModel.name, "event", "result", "errno", "out", "value", "message",
        "item",
        "error", run,
    ]

    /// This scope as one that no key chooses the cases of: messages name no such key.
    var withoutChoice: ExpressionScope {
        ExpressionScope(
            common: common, variants: variants,
            cases: CaseScope(of: cases.type, cases: cases.cases, key: nil))
    }

    private init(common: Variant?, variants: [Variant], cases: CaseScope) {
        (self.common, self.variants, self.cases) = (common, variants, cases)
    }

    /// State and constants, with the state in any case: the scope of `until`.
    init(state: RecordType, config: RecordType) {
        self.init(cases: CaseScope(of: state, cases: nil, key: nil), config: config)
    }

    /// State and constants, with the state in some of its cases.
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

    /// This scope with `now`, the time of the step.
    var withTime: ExpressionScope {
        adding([Scope.Variable(name: "now", type: .timestamp, slot: FrameSlot.now.rawValue)])
    }

    /// This scope with `event`: one variant for each of these events. `event.case` is the event's name.
    ///
    /// - Precondition: at least one event, and this scope has no events.
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

    /// This scope with the outcome of a call: `result`, `errno` and `out`.
    func with(outcome: RecordType) -> ExpressionScope {
        adding(
            outcome.fields.map {
                Scope.Variable(name: $0.name, type: $0.type, slot: FrameSlot.call.rawValue, offset: $0.offset)
            })
    }

    /// This scope with `value`, the payload of an emission.
    func with(value: RecordType) -> ExpressionScope {
        adding([Scope.Variable(name: "value", type: .record(value), slot: FrameSlot.value.rawValue)])
    }

    /// This scope with `message`, the payload of a gear's message.
    func with(message: RecordType) -> ExpressionScope {
        adding([Scope.Variable(name: "message", type: .record(message), slot: FrameSlot.message.rawValue)])
    }

    /// This scope with `item`, an item of the list in `trigger = { each = … }`.
    func with(item: ValueType) -> ExpressionScope {
        adding([Scope.Variable(name: "item", type: item, slot: FrameSlot.item.rawValue)])
    }

    /// This scope with `key`, the key of the instance, which is a field of the state; nil: the loop has no key.
    func with(key: RecordType.Field?) -> ExpressionScope {
        guard let key else { return self }
        return adding([
            Scope.Variable(
                name: KeyModel.name, type: key.type, slot: FrameSlot.state.rawValue, offset: key.offset)
        ])
    }

    /// All scopes: what the variants share, if there are several, and each variant.
    var all: [(variant: Variant, isCommon: Bool)] {
        (common.map { [($0, true)] } ?? []) + variants.map { ($0, false) }
    }

    /// This scope with a name for a value, for each element of `all`.
    func with(bindings: [Scope.Binding]) -> ExpressionScope {
        func adding(_ binding: Scope.Binding, to variant: Variant) -> Variant {
            var variant = variant
            variant.scope = variant.scope.adding([], bindings: [binding])
            return variant
        }
        return ExpressionScope(
            common: common.map { adding(bindings[0], to: $0) },
            variants: zip(bindings.suffix(variants.count), variants).map(adding), cases: cases)
    }

    /// This scope with `run`, the run whose arguments are computed.
    var withRun: ExpressionScope {
        adding([Scope.Variable(name: Self.run, type: .record(RunRecord.type), slot: FrameSlot.run.rawValue)])
    }

    /// The name of the run.
    static let run = "run"

    /// This scope with `error`, the failure of a run.
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
    /// The fields that all of these types have with the same name and expression type. For several types,
    /// their offsets have no meaning.
    static func common(of types: [RecordType]) -> RecordType {
        guard types.count > 1 else { return types[0] }
        return RecordType(
            types[0].fields.filter { field in
                let type = ExpressionType(field.type)
                return types.allSatisfy { $0.field(field.name).map { ExpressionType($0.type) } == type }
            }.map { ($0.name, $0.type) })
    }
}
