/// The data that the loops of one spin share and never change, without the type of the state.
// Safe because every stored property is immutable.
@usableFromInline
class DoorPlan<Event: Sendable>: @unchecked Sendable {
    // A generic class has one table of methods for all types, so a call through it would not be specialized.
    // These functions are made where the types are known.

    /// `LoopCore.drain`.
    @usableFromInline final let drain: @Sendable (Door<Event>) -> Void
    /// `LoopCore.reduceHere`.
    @usableFromInline final let reduceHere: @Sendable (Door<Event>, Event) -> Void
    /// `LoopCore.perform`.
    @usableFromInline final let perform: @Sendable (Door<Event>, ContiguousArray<Event>) -> EmitResult
    /// The slot at an index.
    @usableFromInline final let slot: @Sendable (Door<Event>, Int32) -> RunSlot<Event>
    /// The event that the `catch` of the feedback at an index makes of an error.
    @usableFromInline final let recover: @Sendable (any Error, Int32) -> Event?
    @usableFromInline final let mailbox: MailboxCapacity
    @usableFromInline final let executor: LoopExecutor
    @usableFromInline final let clock: any LoopClock

    @inlinable
    init<State: Sendable>(
        _ state: State.Type, recover: @escaping @Sendable (any Error, Int32) -> Event?,
        mailbox: MailboxCapacity, executor: LoopExecutor, clock: any LoopClock
    ) {
        drain = { LoopCore<State, Event>.of($0).drain() }
        reduceHere = { LoopCore<State, Event>.of($0).reduceHere($1) }
        perform = { LoopCore<State, Event>.of($0).perform($1) }
        slot = { LoopCore<State, Event>.of($0).slot(at: $1) }
        self.recover = recover
        self.mailbox = mailbox
        self.executor = executor
        self.clock = clock
    }
}

/// The data that the loops of one spin share and never change.
// Safe because every stored property is immutable.
@usableFromInline
final class SpinPlan<State: Sendable, Event: Sendable>: DoorPlan<Event>, @unchecked Sendable {
    @usableFromInline typealias Until = @Sendable (State) throws -> Bool
    @usableFromInline typealias Reclaim = @Sendable (consuming Event) -> Void
    @usableFromInline typealias Journal = any LoopJournal<State, Event>

    @usableFromInline let initialState: State
    @usableFromInline let reducer: Reducer<State, Event>
    @usableFromInline let feedbacks: [Feedback<State, Event>]
    @usableFromInline let until: Until?
    /// Called on the draining thread with queued events whose step is over.
    @usableFromInline let reclaim: Reclaim?
    /// Records the loop's steps and runs.
    @usableFromInline let journal: Journal?
    /// Says which feedbacks a step concerns; nil: all of them.
    @usableFromInline let selection: FeedbackSelection?

    @inlinable
    init(
        initialState: State, reducer: Reducer<State, Event>, feedbacks: [Feedback<State, Event>],
        until: Until?, reclaim: Reclaim?, journal: Journal?, selection: FeedbackSelection?,
        mailbox: MailboxCapacity, executor: LoopExecutor, clock: any LoopClock
    ) {
        self.initialState = initialState
        self.reducer = reducer
        self.feedbacks = feedbacks
        self.until = until
        self.reclaim = reclaim
        self.journal = journal
        self.selection = selection
        super.init(
            State.self, recover: { feedbacks[Int($1)].recover?($0) }, mailbox: mailbox, executor: executor,
            clock: clock)
    }

    @inlinable
    func run(_ number: UInt64, ofFeedbackAt index: Int32) -> EffectRun {
        EffectRun(feedback: feedbacks[Int(index)].name, index: Int(index), number: number)
    }
}
