public import HostLoop
public import HostLoopFlow

extension Feedback where State == any HostLoopVocabularies.State, Event == any HostLoopVocabularies.Event {
    /// A feedback that runs a side effect for every new state of one type.
    ///
    /// Its name is that of the type. Effects may throw, unlike the original's (see `catch`).
    /// - Parameters:
    ///   - stateType: The type of the states that start a run; `AnyState.self` means all.
    ///   - strategy: The strategy for an earlier run.
    ///   - willExecuteWithStrategy: Called once per loop, before the initial state is seen.
    ///   - sideEffect: Gets the state. Returns the flow of events, which is cancelled with the run.
    public init<StateType: HostLoopVocabularies.State>(
        on stateType: StateType.Type, strategy: SideEffectStrategy,
        willExecuteWithStrategy: (@Sendable (SideEffectStrategy) -> Void)? = nil,
        perform sideEffect: @escaping @Sendable (StateType) throws -> Flow<any HostLoopVocabularies.Event>
    ) {
        self = Feedback.onState(
            String(describing: stateType), where: { $0 is StateType }, strategy: strategy.stateStrategy,
            flow: { state in try (state as? StateType).map(sideEffect) ?? .none }
        ).notifying(willExecuteWithStrategy, strategy)
    }

    /// A feedback that emits at most one event for every new state of one type, without waiting.
    /// - Parameters:
    ///   - stateType: The type of the states that start a run; `AnyState.self` means all.
    ///   - strategy: The strategy for an earlier run.
    ///   - willExecuteWithStrategy: Called once per loop, before the initial state is seen.
    ///   - sideEffect: Gets the state. Returns the event, or nil.
    @_disfavoredOverload
    public init<StateType: HostLoopVocabularies.State>(
        on stateType: StateType.Type, strategy: SideEffectStrategy,
        willExecuteWithStrategy: (@Sendable (SideEffectStrategy) -> Void)? = nil,
        perform sideEffect: @escaping @Sendable (StateType) throws -> (any HostLoopVocabularies.Event)?
    ) {
        self = Feedback.onState(
            String(describing: stateType), where: { $0 is StateType }, strategy: strategy.stateStrategy,
            effect: { state in try (state as? StateType).flatMap(sideEffect) }
        ).notifying(willExecuteWithStrategy, strategy)
    }

    /// A feedback that runs an asynchronous side effect for every new state of one type.
    /// - Parameters:
    ///   - stateType: The type of the states that start a run; `AnyState.self` means all.
    ///   - strategy: The strategy for an earlier run, whose task is cancelled with it.
    ///   - willExecuteWithStrategy: Called once per loop, before the initial state is seen.
    ///   - sideEffect: Called in a task of its own with the state. Returns the event, or nil.
    @_disfavoredOverload
    public init<StateType: HostLoopVocabularies.State>(
        on stateType: StateType.Type, strategy: SideEffectStrategy,
        willExecuteWithStrategy: (@Sendable (SideEffectStrategy) -> Void)? = nil,
        perform sideEffect: @escaping @Sendable (StateType) async throws -> (any HostLoopVocabularies.Event)?
    ) {
        self = Feedback.onState(
            String(describing: stateType), where: { $0 is StateType }, strategy: strategy.stateStrategy,
            async: { state in
                guard let state = state as? StateType else { return nil }
                return try await sideEffect(state)
            }
        ).notifying(willExecuteWithStrategy, strategy)
    }

    /// A feedback that makes a flow of events out of the flow of the states of one type.
    /// - Parameter sideEffect: Called once per loop; see `Feedback.always(_:stream:)`.
    public init<StateType: HostLoopVocabularies.State>(
        on stateType: StateType.Type,
        perform sideEffect:
            @escaping @Sendable (Flow<StateType>) throws -> Flow<any HostLoopVocabularies.Event>
    ) {
        self = .always(
            String(describing: stateType),
            stream: { states in try sideEffect(states.compactMap { $0 as? StateType }) })
    }

    // MARK: - Any state

    /// A feedback that runs a side effect for every new state; see the form for one type.
    public init(
        on stateType: AnyState.Type, strategy: SideEffectStrategy,
        willExecuteWithStrategy: (@Sendable (SideEffectStrategy) -> Void)? = nil,
        perform sideEffect:
            @escaping @Sendable (any HostLoopVocabularies.State) throws -> Flow<
                any HostLoopVocabularies.Event
            >
    ) {
        self = Feedback.onState("AnyState", strategy: strategy.stateStrategy, flow: sideEffect)
            .notifying(willExecuteWithStrategy, strategy)
    }

    /// A feedback that emits at most one event for every new state, without waiting; see the form for one
    /// type.
    @_disfavoredOverload
    public init(
        on stateType: AnyState.Type, strategy: SideEffectStrategy,
        willExecuteWithStrategy: (@Sendable (SideEffectStrategy) -> Void)? = nil,
        perform sideEffect:
            @escaping @Sendable (any HostLoopVocabularies.State) throws -> (any HostLoopVocabularies.Event)?
    ) {
        self = Feedback.onState("AnyState", strategy: strategy.stateStrategy, effect: sideEffect)
            .notifying(willExecuteWithStrategy, strategy)
    }

    /// A feedback that runs an asynchronous side effect for every new state; see the form for one type.
    @_disfavoredOverload
    public init(
        on stateType: AnyState.Type, strategy: SideEffectStrategy,
        willExecuteWithStrategy: (@Sendable (SideEffectStrategy) -> Void)? = nil,
        perform sideEffect:
            @escaping @Sendable (any HostLoopVocabularies.State) async throws -> (
                any HostLoopVocabularies.Event
            )?
    ) {
        self = Feedback.onState("AnyState", strategy: strategy.stateStrategy, async: sideEffect)
            .notifying(willExecuteWithStrategy, strategy)
    }

    /// A feedback that makes a flow of events out of the flow of states; see `Feedback.always(_:stream:)`.
    public init(
        on stateType: AnyState.Type,
        perform sideEffect:
            @escaping @Sendable (Flow<any HostLoopVocabularies.State>) throws -> Flow<
                any HostLoopVocabularies.Event
            >
    ) {
        self = .always("AnyState", stream: sideEffect)
    }

    private func notifying(
        _ willExecute: (@Sendable (SideEffectStrategy) -> Void)?, _ strategy: SideEffectStrategy
    ) -> Feedback {
        guard let willExecute else { return self }
        return onBegin { willExecute(strategy) }
    }
}
