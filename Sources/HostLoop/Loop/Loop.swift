/// The handle on a running loop: its last release stops the loop, even while it steps.
///
/// Nothing of the loop refers to the handle. A closure that the loop keeps must not either: it captures
/// `emitter`.
public final class Loop<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline let core: LoopCore<State, Event>

    @inlinable
    init(core: LoopCore<State, Event>) {
        self.core = core
    }

    deinit {
        core.stop(.released)
    }

    /// Begins a loop that `Spin.makeLoop` made; called once.
    @inlinable
    package func begin() { core.wake() }

    /// A way into the loop that does not keep it.
    @inlinable
    public var emitter: Emitter<Event> {
        Emitter(door: core)
    }

    /// Queues an event, from any thread; never waits and never runs the loop's code (`LoopExecutor.caller`
    /// excepted).
    ///
    /// If one emission returned before another was called, its event is reduced first.
    /// - Returns: `.queued`; `.full` when a bounded mailbox has no room; `.stopped` when the loop has stopped.
    @inlinable @discardableResult
    public func emit(_ event: Event) -> EmitResult {
        core.emit(event)
    }

    /// Queues an event like `emit`, but waits for room while a bounded mailbox is full, whatever its overflow.
    ///
    /// The mailbox serves waiting senders first come, first served, before any later `send`. The call stays on the caller's
    /// actor; it does not suspend when there is room.
    /// - Returns: `.queued`; `.cancelled` when the task is cancelled first, and nothing is queued then;
    ///   `.stopped` when the loop stops first.
    @discardableResult
    public nonisolated(nonsending) func send(_ event: Event) async -> EmitResult {
        await core.send(event)
    }

    /// Reduces an event now, on the calling thread: when it returns, `state` includes it.
    ///
    /// It overtakes what is queued and waits for reductions that are under way, for nothing else. Unless
    /// another thread or an outer frame is delivering a step of this loop, which then delivers this one too,
    /// the calling thread runs observers and effects, on `LoopExecutor.caller`, before it returns: so do not
    /// hold a lock that they take.
    /// From an effect or an observer of the loop: applied at once, delivered after the step at hand. The
    /// initial state is always delivered first. A step that is performed but not delivered when the loop
    /// stops stays in `state` and in the counters, and nobody is told of it.
    ///
    /// A precondition failure inside the loop's own reducer, which may emit.
    /// - Returns: `.queued` when the event is applied, handled or not; `.stopped`, counted, when the loop has
    ///   stopped.
    @inlinable @discardableResult
    public func perform(_ event: Event) -> EmitResult {
        core.perform(event)
    }

    /// Reduces events now, on the calling thread, with no other event between them: `perform(_:)` for
    /// several. All are applied before the first is delivered; each is a step of its own.
    @inlinable @discardableResult
    public func perform(_ events: some Sequence<Event>) -> EmitResult {
        core.perform(ContiguousArray(events))
    }

    /// Reduces events now, as `perform` does, and leaves their delivery to `deliverApplied()`.
    /// - Returns: whether the events are applied; false when the loop has stopped.
    package func apply(_ events: ContiguousArray<Event>) -> Bool { core.apply(events) }

    /// Delivers what `apply(_:)` reduced, unless another thread or an outer frame is delivering.
    package func deliverApplied() { core.deliverApplied() }

    /// The current state, performed events included, from any thread; waits for a reduction that is under
    /// way, for nothing else.
    ///
    /// The first time that another thread reads it while the loop is at work takes some 10 µs, and 15 ms once in a process
    /// with several threads: until then the loop guards its state without a locked exchange.
    ///
    /// An effect that reads it may see a later state than the one it was given. A precondition failure inside
    /// the loop's own reducer, which has the state at hand.
    @inlinable
    public var state: State { core.currentState }

    /// What the loop has counted, from any thread; waits for nothing. Final once `ended` is reached,
    /// but for events that come after that.
    public var counters: LoopCounters { core.counters }

    /// Stops the loop: refuses new events, discards the queue, cancels every run, and returns at once.
    ///
    /// Repeating it does nothing; it may be called from anywhere, effects and observers of the loop included.
    /// An effect that executes may come to its end; `ended` tells when none does any more.
    @inlinable
    public func stop() {
        core.stop(.stopped)
    }

    /// Has `body` called between two steps, on the thread that drains the loop, or as it stops; never waits.
    ///
    /// - Returns: whether it will be called, or was: false when the loop has stopped.
    package func betweenSteps(_ body: @escaping @Sendable () -> Void) -> Bool { core.betweenSteps(body) }

    /// The end of the loop, which outlives this handle.
    public var ended: LoopEnd { LoopEnd(source: core) }
}

extension Loop {
    /// Cancels what in this loop is `cancellable(id:)` with this id, flows and runs of feedbacks, on the calling
    /// thread, from any thread. Their runs finish; events that they have emitted stay queued.
    public func cancel(id: some Hashable & Sendable) {
        core.cancel(CancellationIDs.ID(id))
    }
}

extension Emitter {
    /// Cancels what in the loop is `cancellable(id:)` with this id, flows and runs of feedbacks, on the calling
    /// thread, from any thread. Their runs finish; events that they have emitted stay queued.
    public func cancel(id: some Hashable & Sendable) {
        door?.cancel(CancellationIDs.ID(id))
    }
}
