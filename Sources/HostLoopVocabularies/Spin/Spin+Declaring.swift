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
    /// The types come from the first feedback or the reducer; where that is a closure without types, they are
    /// written: `Spin<Levels, LevelEvent>(initialState: …) { … }`.
    ///
    /// As in the original each new state is given to the feedbacks, equal to the one before or not. Unlike
    /// there, all feedbacks see a state in the order of declaration, each event that a newer state made stale
    /// is withdrawn (`Strategy`), and the default executor is the shared pool, not a queue of its own:
    /// so these levels meet in ten steps, not in twenty.
    /// - Parameters:
    ///   - executor: Where the reducer, the observers and the effects run that name no executor of their own.
    ///   - until: Asked of the initial state and of each new state once the feedbacks were started for it;
    ///     when it is true the loop stops.
    ///   - mailbox: How many events wait for their turn at most, and what becomes of one too many.
    ///   - clock: What time is taken from.
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
    /// - Parameter executor: Where the reducer, the observers and the effect run, unless that names an
    ///   executor of its own.
    @inlinable
    public init(
        initialState: State, feedback: Feedback<State, Event>, reducer: Reducer<State, Event>,
        executeOn executor: LoopExecutor = .pool
    ) {
        self.init(initialState: initialState, reducer: reducer, feedbacks: [feedback], executor: executor)
    }
}
