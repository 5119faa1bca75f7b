/// The transitions that leave the states of one type.
///
/// Of two `On` for one event, the last wins. The closure must be pure, as it is part of the reducer. A
/// closure that takes the state is called once for each event that comes in such a state. A closure without
/// the state is called once for all. The original calls both again, up to four times an event. So a condition
/// that changes belongs into `disable`.
public struct From: Sendable {
    enum Body: Sendable {
        /// Transitions that do not depend on the state's value.
        case fixed([On])
        /// Transitions that a state of the type declares. `known` has those of its `Instantiable.instance`.
        case read(@Sendable (any State) -> [On], known: [On]?)
    }

    let source: any State.Type
    let body: Body

    /// The transitions of states of type `stateType`, given the state.
    public init<StateType: State>(
        _ stateType: StateType.Type,
        @ArrayBuilder<On> _ transitionsForState: @escaping @Sendable (StateType) -> [On]
    ) {
        self.init(stateType, known: nil, transitionsForState)
    }

    /// The transitions of states of type `stateType`, given the state. They are known for its `instance`.
    public init<StateType: State & Instantiable>(
        _ stateType: StateType.Type,
        @ArrayBuilder<On> _ transitionsForState: @escaping @Sendable (StateType) -> [On]
    ) {
        self.init(stateType, known: transitionsForState(StateType.instance), transitionsForState)
    }

    /// The transitions of all states of type `stateType`.
    public init<StateType: State>(
        _ stateType: StateType.Type, @ArrayBuilder<On> _ transitionsForState: () -> [On]
    ) {
        source = stateType
        body = .fixed(transitionsForState())
    }

    /// The transitions of every state, given the state.
    public init(
        _ stateType: AnyState.Type,
        @ArrayBuilder<On> _ transitionsForState: @escaping @Sendable (any State) -> [On]
    ) {
        source = stateType
        body = .read(transitionsForState, known: transitionsForState(AnyState.instance))
    }

    private init<StateType: State>(
        _ stateType: StateType.Type, known: [On]?,
        _ transitionsForState: @escaping @Sendable (StateType) -> [On]
    ) {
        source = stateType
        body = .read({ ($0 as? StateType).map(transitionsForState) ?? [] }, known: known)
    }

    private init(_ source: any State.Type, _ body: Body) {
        self.source = source
        self.body = body
    }

    /// The same transitions, all disabled while `disabled` is true; see `On.disable(_:)`.
    public func disable(_ disabled: @escaping @Sendable () -> Bool) -> From {
        switch body {
        case .fixed(let declared):
            From(source, .fixed(declared.map { $0.disable(disabled) }))
        case .read(let declare, let known):
            From(
                source,
                .read(
                    { declare($0).map { $0.disable(disabled) } }, known: known?.map { $0.disable(disabled) }))
        }
    }
}
