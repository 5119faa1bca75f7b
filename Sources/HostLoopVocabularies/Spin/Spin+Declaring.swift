public import HostLoop

extension Spin {
    /// Describes a loop by its feedbacks and, last, its one reducer.
    ///
    ///     let levels = Spin(initialState: Levels(left: 10, right: 20)) {
    ///         Feedback(effect: leftEffect)
    ///         Feedback(effect: rightEffect)
    ///         Reducer(levelsReducer)
    ///     }
    ///
    /// The compiler infers the types from the first feedback or the reducer. If that is a closure without
    /// types, the program must write them: `Spin<Levels, LevelEvent>(initialState: …) { … }`.
    ///
    /// As in the original, the feedbacks get each new state, equal to the one before or not. Unlike there,
    /// all feedbacks see a state in the order of declaration, and each event that a newer state made stale is
    /// withdrawn (`Strategy`). The default executor is the shared pool, not a queue of its own. So these
    /// levels meet in ten steps, not in twenty.
    /// - Parameters:
    ///   - executor: The executor of the reducer, the observers, and the effects without one of their own.
    ///   - until: Called with the initial state and each new state after the start of its effects. The loop
    ///     stops when it returns true.
    ///   - mailbox: The capacity of the mailbox, and its overflow rule.
    ///   - clock: The clock of the loop.
    @inlinable
    public init(
        initialState: State, executeOn executor: LoopExecutor = .pool,
        until: (@Sendable (State) throws -> Bool)? = nil, mailbox: MailboxCapacity = .unbounded,
        clock: any LoopClock = ContinuousLoopClock(),
        @SpinBuilder<State, Event> _ parts: () -> SpinBuilder<State, Event>.Parts
    ) {
        let parts = parts()
        self.init(
            initialState: initialState, reducer: parts.reducer, feedbacks: parts.feedbacks, until: until,
            mailbox: mailbox, executor: executor, clock: clock)
    }

    /// Describes a loop with one feedback.
    /// - Parameter executor: The executor of the reducer, the observers, and the effect if it has none of its
    ///   own.
    @inlinable
    public init(
        initialState: State, feedback: Feedback<State, Event>, reducer: Reducer<State, Event>,
        executeOn executor: LoopExecutor = .pool
    ) {
        self.init(initialState: initialState, reducer: reducer, feedbacks: [feedback], executor: executor)
    }
}
