public import HostLoop
public import HostLoopFlow

extension Flow {
    /// The states of a system with feedbacks: RxFeedback's operator on the one engine.
    ///
    /// Each subscription starts a loop of its own, which lasts as long as the subscription and takes
    /// everything that it began with it. The initial state comes first. Events wait in the loop's queue, so a
    /// feedback that answers at once never recurses. A failure of a feedback is a fault of its run and leaves
    /// the system running; with RxFeedback it ends it.
    /// - Parameters:
    ///   - initialState: The first state.
    ///   - reduce: Makes the new state; one event, one state, equal or not.
    ///   - scheduler: Where the system runs.
    ///   - clock: What time is taken from.
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
