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
