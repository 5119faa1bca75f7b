/// A spin is a value and cold: nothing runs until `start`. Each start makes an independent loop, which begins
/// with the initial state.
public struct Spin<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline let plan: SpinPlan<State, Event>

    /// Describes a loop.
    /// - Parameters:
    ///   - feedbacks: They run in this order for each new state.
    ///   - until: Called with the initial state, and with each new state once the feedbacks have started for
    ///     it. When it returns true, the loop stops. A throw is a fault and counts as false.
    ///   - mailbox: The most events that may wait, and the rule for one too many.
    ///   - executor: Runs the reducer, the observers, and the effects that name no executor of their own.
    ///   - clock: The source of the loop's time.
    @inlinable
    public init(
        initialState: State, reducer: Reducer<State, Event>, feedbacks: [Feedback<State, Event>],
        until: (@Sendable (State) throws -> Bool)? = nil, mailbox: MailboxCapacity = .unbounded,
        executor: LoopExecutor = .pool, clock: any LoopClock = ContinuousLoopClock()
    ) {
        plan = SpinPlan(
            initialState: initialState, reducer: reducer, feedbacks: feedbacks, until: until,
            reclaim: nil, journal: nil, selection: nil, mailbox: mailbox, executor: executor, clock: clock)
    }

    /// The same for events whose memory is reused, and for a loop with a journal.
    /// - Parameters:
    ///   - journal: Records what the loop does.
    ///   - reclaim: Called on the loop's executor with queued events whose step is over. Other code may still
    ///     hold them.
    @inlinable
    package init(
        initialState: State, reducer: Reducer<State, Event>, feedbacks: [Feedback<State, Event>],
        until: (@Sendable (State) throws -> Bool)?, mailbox: MailboxCapacity, clock: any LoopClock,
        journal: (any LoopJournal<State, Event>)?, selection: FeedbackSelection?,
        reclaim: @escaping @Sendable (consuming Event) -> Void
    ) {
        plan = SpinPlan(
            initialState: initialState, reducer: reducer, feedbacks: feedbacks, until: until,
            reclaim: reclaim, journal: journal, selection: selection, mailbox: mailbox, executor: .pool,
            clock: clock)
    }

    /// Starts a loop. Observers and feedbacks see the initial state first, on the loop's executor.
    /// - Parameter observers: They see everything from the first state on, in this order.
    /// - Returns: The handle. Its last release stops the loop.
    @inlinable
    public func start(observers: [any LoopObserver<State, Event>] = []) -> Loop<State, Event> {
        let loop = makeLoop(observers: observers)
        loop.begin()
        return loop
    }

    /// Makes a loop that does nothing until `Loop.begin()`. Meanwhile it accepts events.
    @inlinable
    package func makeLoop(observers: [any LoopObserver<State, Event>] = []) -> Loop<State, Event> {
        Loop(core: LoopCore(plan: plan, observers: observers))
    }
}

extension Spin {
    /// The state with which each loop begins.
    public var initialState: State { plan.initialState }

    /// The feedbacks in the order of declaration.
    package var feedbacks: [Feedback<State, Event>] { plan.feedbacks }

    /// The same spin with another initial state: `spin.starting(from: saved).start()` restores a loop.
    ///
    /// A loop begins with any state as with the first one: its feedbacks start the effects that the state asks
    /// for, from their beginning. A delay that was half over begins again, unless its end is in the state: see
    /// `Feedback.after(_:request:delay:emit:)`.
    public func starting(from state: State) -> Spin {
        Spin(
            plan: SpinPlan(
                initialState: state, reducer: plan.reducer, feedbacks: plan.feedbacks, until: plan.until,
                reclaim: plan.reclaim, journal: plan.journal, selection: plan.selection,
                mailbox: plan.mailbox, executor: plan.executor, clock: plan.clock))
    }

    /// The same spin on another executor and another clock; nil keeps the present one.
    ///
    /// Feedbacks that name an executor of their own keep it. A test runs a program's spin on
    /// `LoopExecutor.caller` and on a clock that it advances itself.
    @inlinable
    public func on(executor: LoopExecutor? = nil, clock: (any LoopClock)? = nil) -> Spin {
        Spin(
            plan: SpinPlan(
                initialState: plan.initialState, reducer: plan.reducer, feedbacks: plan.feedbacks,
                until: plan.until, reclaim: plan.reclaim, journal: plan.journal,
                selection: plan.selection, mailbox: plan.mailbox, executor: executor ?? plan.executor,
                clock: clock ?? plan.clock))
    }

    /// The plan's initializer has no defaults, so that a copy cannot lose a property.
    @usableFromInline
    init(plan: SpinPlan<State, Event>) {
        self.plan = plan
    }
}
