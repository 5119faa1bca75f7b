/// The handle on a running loop. Its last release stops the loop, even during a step.
///
/// Nothing in the loop refers to the handle. A closure that the loop keeps must not refer to it either: it
/// must capture `emitter`.
public final class Loop<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline let core: LoopCore<State, Event>

    @inlinable
    init(core: LoopCore<State, Event>) {
        self.core = core
    }

    deinit {
        release()
    }

    /// Stops the loop as the last release of the handle does.
    package func release() { core.stop(.released) }

    /// Begins a loop that `Spin.makeLoop` made. It must be called once.
    @inlinable
    package func begin() { core.wake() }

    /// A way into the loop that does not keep the loop.
    @inlinable
    public var emitter: Emitter<Event> {
        Emitter(door: core)
    }

    /// Queues an event, from any thread. It never waits, and it never runs the loop's code (except on
    /// `LoopExecutor.caller`).
    ///
    /// If one emission returned before another was called, its event is reduced first.
    /// - Returns: `.queued`; `.full` when a bounded mailbox has no room; `.stopped` when the loop has
    ///   stopped.
    @inlinable @discardableResult
    public func emit(_ event: Event) -> EmitResult {
        core.emit(event)
    }

    /// Queues an event like `emit`, but waits for room while a bounded mailbox is full, under every overflow
    /// rule.
    ///
    /// The mailbox serves waiting senders first come, first served, before any later `send`. The call stays
    /// on the caller's actor; it does not suspend when there is room.
    /// - Returns: `.queued`. It is `.cancelled` when the task is cancelled first; then nothing is queued. It
    ///   is `.stopped` when the loop stops first.
    @discardableResult
    public nonisolated(nonsending) func send(_ event: Event) async -> EmitResult {
        await core.send(event)
    }

    /// Reduces an event now, on the calling thread: when the call returns, `state` includes it.
    ///
    /// The event overtakes queued events. The call waits for reductions in progress, and for nothing else.
    /// Before it returns, the calling thread runs observers and effects, on `LoopExecutor.caller`. So the
    /// caller must not hold a lock that they need. If another thread or an outer frame is delivering a step
    /// of this loop, that one delivers this step, too.
    ///
    /// An effect or an observer of the loop may call this. The event is applied at once, and delivered after
    /// the current step. The loop always delivers the initial state first. A step that is performed but not
    /// delivered when the loop stops stays in `state` and in the counters. No observer sees it.
    ///
    /// Inside the loop's own reducer the call is a precondition failure; a reducer may emit.
    /// - Returns: `.queued` when the event is applied, handled or not; `.stopped`, counted, when the loop has
    ///   stopped.
    @inlinable @discardableResult
    public func perform(_ event: Event) -> EmitResult {
        core.perform(event)
    }

    /// Reduces events now, on the calling thread, with no other event between them: `perform(_:)` for several
    /// events. All are applied before the first is delivered. Each is a step of its own.
    @inlinable @discardableResult
    public func perform(_ events: some Sequence<Event>) -> EmitResult {
        core.perform(ContiguousArray(events))
    }

    /// Reduces events now, as `perform` does, but does not deliver them: `deliverApplied()` does.
    /// - Returns: Whether the events are applied; false when the loop has stopped.
    package func apply(_ events: ContiguousArray<Event>) -> Bool { core.apply(events) }

    /// Delivers the steps of `apply(_:)`, unless another thread or an outer frame is delivering.
    package func deliverApplied() { core.deliverApplied() }

    /// The current state, including performed events, from any thread. A read waits for a reduction in
    /// progress, and for nothing else.
    ///
    /// The first read by another thread while the loop is active takes some 10 µs. It takes 15 ms once in a
    /// process with several threads. Until then the loop guards its state without a locked exchange.
    ///
    /// An effect that reads the state may see a later state than its own argument. Inside the loop's own
    /// reducer the read is a precondition failure: the reducer has the state as its argument.
    @inlinable
    public var state: State { core.currentState }

    /// The loop's counters, from any thread. A read waits for nothing. They are final once `ended` is
    /// reached, except for events that come after that.
    public var counters: LoopCounters { core.counters }

    /// Stops the loop: it refuses new events, discards the queue, cancels every run, and returns at once.
    ///
    /// Further calls do nothing. Any code may call this, including effects and observers of the loop. An
    /// effect that executes may run to its end; `ended` waits for the last of them.
    @inlinable
    public func stop() {
        core.stop(.stopped)
    }

    /// Makes the thread that drains the loop call `body` between two steps, or as the loop stops. It never
    /// waits.
    ///
    /// - Returns: Whether `body` is or will be called; false when the loop has stopped.
    package func betweenSteps(_ body: @escaping @Sendable () -> Void) -> Bool { core.betweenSteps(body) }

    /// The end of the loop. It outlives this handle.
    public var ended: LoopEnd { LoopEnd(source: core) }
}

extension Loop {
    /// Cancels the flows and the runs of feedbacks in this loop that are `cancellable(id:)` with this id. It
    /// works on the calling thread, from any thread. The runs finish; events that they have emitted stay
    /// queued.
    public func cancel(id: some Hashable & Sendable) {
        core.cancel(CancellationIDs.ID(id))
    }
}

extension Emitter {
    /// Cancels the flows and the runs of feedbacks in the loop that are `cancellable(id:)` with this id. It
    /// works on the calling thread, from any thread. The runs finish; events that they have emitted stay
    /// queued.
    public func cancel(id: some Hashable & Sendable) {
        door?.cancel(CancellationIDs.ID(id))
    }
}
