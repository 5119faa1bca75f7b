public import HostLoop
public import HostLoopFlow

extension Flow {
    /// The states of a system with feedbacks: RxFeedback's operator on this engine.
    ///
    /// Each subscription starts a loop of its own, which ends with the subscription, including its effects.
    /// The initial state comes first. Events wait in the loop's queue, so a feedback that emits at once never
    /// recurses. A failure of a feedback is a fault of its run, and the system continues. In RxFeedback it
    /// ends the system.
    /// - Parameters:
    ///   - initialState: The first state.
    ///   - reduce: Returns the new state for each event.
    ///   - scheduler: The executor of the system.
    ///   - clock: The clock of the loop.
    ///   - feedback: In order of declaration.
    public static func system<Event: Sendable>(
        initialState: Value, reduce: @escaping @Sendable (Value, Event) -> Value,
        scheduler: LoopExecutor = .pool, clock: any LoopClock = ContinuousLoopClock(),
        feedback: [Feedback<Value, Event>]
    ) -> Flow {
        Spin(
            initialState: initialState, reducer: Reducer(reduce), feedbacks: feedback, executor: scheduler,
            clock: clock
        ).stream
    }

    /// The states of a system with feedbacks: RxFeedback's operator on the one engine.
    ///
    /// Like the form with an array.
    public static func system<Event: Sendable>(
        initialState: Value, reduce: @escaping @Sendable (Value, Event) -> Value,
        scheduler: LoopExecutor = .pool, clock: any LoopClock = ContinuousLoopClock(),
        feedback: Feedback<Value, Event>...
    ) -> Flow {
        system(
            initialState: initialState, reduce: reduce, scheduler: scheduler, clock: clock, feedback: feedback
        )
    }
}
