/// What the loops of one spin share, and what never changes.
@usableFromInline
final class SpinPlan<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline let initialState: State
    @usableFromInline let reducer: Reducer<State, Event>
    @usableFromInline let feedbacks: [Feedback<State, Event>]
    @usableFromInline typealias Until = @Sendable (State) throws -> Bool

    @usableFromInline let until: Until?
    @usableFromInline typealias Reclaim = @Sendable (consuming Event) -> Void
    /// Given queued events whose step is over, on the draining thread.
    @usableFromInline let reclaim: Reclaim?
    @usableFromInline let mailbox: MailboxCapacity
    @usableFromInline let executor: LoopExecutor
    @usableFromInline let clock: any LoopClock
    /// `LoopCore.drain`, specialised where the types are known: a generic class has one table of methods for
    /// all types, so a call through it would lose that.
    @usableFromInline let drain: @Sendable (LoopCore<State, Event>) -> Void
    /// `LoopCore.reduceHere`, likewise.
    @usableFromInline let takeHere: @Sendable (LoopCore<State, Event>, Event) -> Void

    @inlinable
    init(
        initialState: State, reducer: Reducer<State, Event>, feedbacks: [Feedback<State, Event>],
        until: Until?, reclaim: Reclaim?, mailbox: MailboxCapacity, executor: LoopExecutor,
        clock: any LoopClock
    ) {
        self.initialState = initialState
        self.reducer = reducer
        self.feedbacks = feedbacks
        self.until = until
        self.reclaim = reclaim
        self.mailbox = mailbox
        self.executor = executor
        self.clock = clock
        drain = { $0.drain() }
        takeHere = { $0.reduceHere($1) }
    }

    @inlinable
    func run(_ number: UInt64, ofFeedbackAt index: Int32) -> EffectRun {
        EffectRun(feedback: feedbacks[Int(index)].name, index: Int(index), number: number)
    }
}
