/// The description of a feedback loop: an initial state, a reducer and feedbacks.
///
/// A spin is a value and cold: nothing runs until `start`, and each start is an independent loop from the
/// initial state.
public struct Spin<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline let plan: SpinPlan<State, Event>

    /// Describes a loop.
    /// - Parameters:
    ///   - feedbacks: Run in this order for each new state.
    ///   - until: Asked of the initial state and of each new state once the feedbacks were started for it;
    ///     when it is true the loop stops. A throw is a fault and counts as false.
    ///   - mailbox: How many events wait for their turn at most, and what becomes of one too many.
    ///   - executor: Where the reducer, the observers and the effects run that name no executor of their own.
    ///   - clock: What time is taken from.
    @inlinable
    public init(
        initialState: State, reducer: Reducer<State, Event>, feedbacks: [Feedback<State, Event>],
        until: (@Sendable (State) throws -> Bool)? = nil, mailbox: MailboxCapacity = .unbounded,
        executor: LoopExecutor = .pool, clock: any LoopClock = ContinuousLoopClock()
    ) {
        plan = SpinPlan(
            initialState: initialState, reducer: reducer, feedbacks: feedbacks, until: until,
            reclaim: nil, mailbox: mailbox, executor: executor, clock: clock)
    }

    /// The same for events that are made anew of earlier ones.
    /// - Parameter reclaim: Given queued events whose step is over, on the loop's executor; others may hold them, too.
    @inlinable
    package init(
        initialState: State, reducer: Reducer<State, Event>, feedbacks: [Feedback<State, Event>],
        until: (@Sendable (State) throws -> Bool)?, mailbox: MailboxCapacity, clock: any LoopClock,
        reclaim: @escaping @Sendable (consuming Event) -> Void
    ) {
        plan = SpinPlan(
            initialState: initialState, reducer: reducer, feedbacks: feedbacks, until: until,
            reclaim: reclaim, mailbox: mailbox, executor: .pool, clock: clock)
    }

    /// Starts a loop; observers and feedbacks see the initial state first, on the loop's executor.
    /// - Parameter observers: Told everything from the first state on, in this order.
    /// - Returns: the handle whose last release stops the loop.
    @inlinable
    public func start(observers: [any LoopObserver<State, Event>] = []) -> Loop<State, Event> {
        let loop = makeLoop(observers: observers)
        loop.begin()
        return loop
    }

    /// Makes a loop that does nothing until `Loop.begin()`; it takes events meanwhile.
    @inlinable
    package func makeLoop(observers: [any LoopObserver<State, Event>] = []) -> Loop<State, Event> {
        Loop(core: LoopCore(plan: plan, observers: observers))
    }
}

extension Spin {
    /// The state that each loop begins with.
    public var initialState: State { plan.initialState }

    /// The feedbacks in the order of declaration.
    package var feedbacks: [Feedback<State, Event>] { plan.feedbacks }

    /// The same spin on another executor and another clock; nil keeps what it has.
    ///
    /// Feedbacks that name an executor of their own keep that. A test runs a program's spin on
    /// `LoopExecutor.caller` and a clock that it advances itself.
    public func on(executor: LoopExecutor? = nil, clock: (any LoopClock)? = nil) -> Spin {
        Spin(
            plan: SpinPlan(
                initialState: plan.initialState, reducer: plan.reducer, feedbacks: plan.feedbacks,
                until: plan.until, reclaim: plan.reclaim, mailbox: plan.mailbox,
                executor: executor ?? plan.executor,
                clock: clock ?? plan.clock))
    }

    /// Nothing here has a default: what a plan has must not be lost in a copy.
    private init(plan: SpinPlan<State, Event>) {
        self.plan = plan
    }
}
