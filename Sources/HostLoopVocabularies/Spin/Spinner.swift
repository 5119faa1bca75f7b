public import HostLoop

/// The first step of a spin that is made step by step: state, feedbacks, reducer.
///
///     let levels = Spinner
///         .initialState(Levels(left: 10, right: 20))
///         .feedback(Feedback(effect: leftEffect))
///         .feedback(Feedback(effect: rightEffect))
///         .reducer(Reducer(levelsReducer))
///
/// Each step is a value. Two spins from one step share nothing; in the original they share their feedbacks.
public struct Spinner<State: Sendable>: Sendable {
    @usableFromInline let state: State
    @usableFromInline let executor: LoopExecutor
    @usableFromInline let until: (@Sendable (State) throws -> Bool)?
    @usableFromInline let mailbox: MailboxCapacity
    @usableFromInline let clock: any LoopClock

    @inlinable
    init(
        state: State, executor: LoopExecutor, until: (@Sendable (State) throws -> Bool)?,
        mailbox: MailboxCapacity, clock: any LoopClock
    ) {
        self.state = state
        self.executor = executor
        self.until = until
        self.mailbox = mailbox
        self.clock = clock
    }

    /// Begins a spin.
    /// - Parameters:
    ///   - executor: The executor of the reducer, the observers, and the effects without one of their own.
    ///   - until: Called with the initial state and each new state after the start of its effects. The loop
    ///     stops when it returns true.
    ///   - mailbox: The capacity of the mailbox, and its overflow rule.
    ///   - clock: The clock of the loop.
    @inlinable
    public static func initialState(
        _ state: State, executeOn executor: LoopExecutor = .pool,
        until: (@Sendable (State) throws -> Bool)? = nil, mailbox: MailboxCapacity = .unbounded,
        clock: any LoopClock = ContinuousLoopClock()
    ) -> Spinner {
        Spinner(state: state, executor: executor, until: until, mailbox: mailbox, clock: clock)
    }

    /// Adds the first feedback, which also determines the type of the events.
    @inlinable
    public func feedback<Event: Sendable>(
        _ feedback: Feedback<State, Event>
    ) -> SpinnerFeedback<State, Event> {
        SpinnerFeedback(spinner: self, feedbacks: [feedback])
    }
}

/// A step of `Spinner` with feedbacks. Further feedbacks or the reducer may follow.
public struct SpinnerFeedback<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline let spinner: Spinner<State>
    @usableFromInline let feedbacks: [Feedback<State, Event>]

    @inlinable
    init(spinner: Spinner<State>, feedbacks: [Feedback<State, Event>]) {
        self.spinner = spinner
        self.feedbacks = feedbacks
    }

    /// Adds a feedback after the others.
    @inlinable
    public func feedback(_ feedback: Feedback<State, Event>) -> SpinnerFeedback {
        SpinnerFeedback(spinner: spinner, feedbacks: feedbacks + [feedback])
    }

    /// Completes the spin.
    @inlinable
    public func reducer(_ reducer: Reducer<State, Event>) -> Spin<State, Event> {
        Spin(
            initialState: spinner.state, reducer: reducer, feedbacks: feedbacks, until: spinner.until,
            mailbox: spinner.mailbox, executor: spinner.executor, clock: spinner.clock)
    }
}
