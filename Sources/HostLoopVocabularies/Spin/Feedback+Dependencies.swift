public import HostLoop
public import HostLoopFlow

/// Feedbacks of a function that gets its dependencies first and the state last.
///
/// Each equals a closure: `Feedback(effect: load, dep1: service)` is `Feedback(effect: { try load(service,
/// $0) })`, which gives dependencies to a function that returns no flow.
extension Feedback {
    /// A feedback that emits a flow of events for a state and a dependency.
    public init<Dep1: Sendable>(
        effect: @escaping @Sendable (Dep1, State) throws -> Flow<Event>, dep1: Dep1,
        on executor: LoopExecutor? = nil, applying strategy: Strategy = .cancelOnNewState
    ) {
        self.init(effect: SideEffect.make(effect, arg: dep1), on: executor, applying: strategy)
    }

    /// A feedback that emits a flow of events for a state and two dependencies.
    public init<Dep1: Sendable, Dep2: Sendable>(
        effect: @escaping @Sendable (Dep1, Dep2, State) throws -> Flow<Event>, dep1: Dep1, dep2: Dep2,
        on executor: LoopExecutor? = nil, applying strategy: Strategy = .cancelOnNewState
    ) {
        self.init(effect: SideEffect.make(effect, arg1: dep1, arg2: dep2), on: executor, applying: strategy)
    }

    /// A feedback that emits a flow of events for a state and three dependencies.
    public init<Dep1: Sendable, Dep2: Sendable, Dep3: Sendable>(
        effect: @escaping @Sendable (Dep1, Dep2, Dep3, State) throws -> Flow<Event>,
        dep1: Dep1, dep2: Dep2, dep3: Dep3,
        on executor: LoopExecutor? = nil, applying strategy: Strategy = .cancelOnNewState
    ) {
        self.init(
            effect: SideEffect.make(effect, arg1: dep1, arg2: dep2, arg3: dep3), on: executor,
            applying: strategy)
    }

    /// A feedback that emits a flow of events for a state and four dependencies.
    public init<Dep1: Sendable, Dep2: Sendable, Dep3: Sendable, Dep4: Sendable>(
        effect: @escaping @Sendable (Dep1, Dep2, Dep3, Dep4, State) throws -> Flow<Event>,
        dep1: Dep1, dep2: Dep2, dep3: Dep3, dep4: Dep4,
        on executor: LoopExecutor? = nil, applying strategy: Strategy = .cancelOnNewState
    ) {
        self.init(
            effect: SideEffect.make(effect, arg1: dep1, arg2: dep2, arg3: dep3, arg4: dep4), on: executor,
            applying: strategy)
    }
}
