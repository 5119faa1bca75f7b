/// The transitions that leave the states of one type.
///
/// Of two `On` for one event, the last wins. The closure is pure like the reducer that it is part of: one that
/// takes the state is called once for each event that arrives in such a state, one that does not is called
/// once and for all (the original called both anew, up to four times an event), so a condition that changes
/// belongs into `disable`.
public struct From: Sendable {
    enum Body: Sendable {
        /// The same whatever the state's value.
        case fixed([On])
        /// What a state of the type declares; `known` is what its `Instantiable.instance` does.
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

    /// The transitions of states of type `stateType`, given the state, and known for its `instance`.
    public init<StateType: State & Instantiable>(
        _ stateType: StateType.Type,
        @ArrayBuilder<On> _ transitionsForState: @escaping @Sendable (StateType) -> [On]
    ) {
        self.init(stateType, known: transitionsForState(StateType.instance), transitionsForState)
    }

    /// The transitions of states of type `stateType`, whatever the state.
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

    /// The same transitions, none of them there while `disabled` is true; see `On.disable(_:)`.
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
