/// Many loops of one spin, each with a key: one for each order, device or session.
///
/// The first event for a key makes its loop. All loops share what the spin describes; a loop owns its state, its
/// queue and its runs. Loops run side by side: many events for one key hold up that key only.
///
/// This is the handle. Its last release stops all loops. Closures that the loops keep must not refer to it: they
/// use the emitter that `init` gives them. May be used from any thread.
public final class KeyedLoops<Key: Hashable & Sendable, State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline let core: KeyedCore<Key, State, Event>
    private let door: KeyedDoor<Key, Event>

    /// - Parameters:
    ///   - initialState: The state with which the loop of a key begins. It is called on the thread that emits the
    ///     key's first event; for events of several threads at once, it may be called once too often.
    ///   - limit: The most loops at a time. An event that would make one more is refused with `.limit`.
    ///   - keep: How long the last state of a loop that has ended by itself stays readable. Such states count for
    ///     `limit`, but give way to new loops, the oldest first.
    ///   - creates: Whether an event may make a loop; others are refused with `.absent` when there is no loop.
    ///   - observers: Made for each loop.
    ///   - spin: Makes the spin of all loops, once. Its emitter is a way into all loops, for effects that send
    ///     events to other keys. The spin's initial state is not used.
    public init(
        startingFrom initialState: @escaping @Sendable (Key) -> State, limit: Int = .max,
        keep: Duration = .zero, creates: @escaping @Sendable (Event) -> Bool = { _ in true },
        observers: @escaping @Sendable (Key) -> [any LoopObserver<State, Event>] = { _ in [] },
        spin: (KeyedEmitter<Key, Event>) -> Spin<State, Event>
    ) {
        precondition(limit > 0, "at least one loop")
        let door = KeyedDoor<Key, Event>()
        core = KeyedCore(
            spin(KeyedEmitter(door: door)),
            KeyedCore.Rules(
                initialState: initialState, limit: limit, keep: keep, creates: creates, observers: observers))
        self.door = door
        door.open { [core] in core.emit($0, to: $1) }
    }

    deinit { stop() }

    /// A way into the loops that keeps none of them.
    public var emitter: KeyedEmitter<Key, Event> { KeyedEmitter(door: door) }

    /// Queues an event for the loop of a key, which it may make. It never waits, and runs none of the loop's code
    /// (`LoopExecutor.caller` excepted).
    ///
    /// If one emission for a key returned before another was called, its event is reduced first.
    @inlinable @discardableResult
    public func emit(_ event: Event, to key: Key) -> KeyedEmitResult { core.emit(event, to: key) }

    /// Queues an event like `emit`, but waits for room while the loop's bounded mailbox is full: see
    /// `Loop.send(_:)`.
    @discardableResult
    public nonisolated(nonsending) func send(_ event: Event, to key: Key) async -> KeyedEmitResult {
        while true {
            switch core.find(key, for: event) {
            case .refused(let result): return result
            case .found(let instance, let isNew):
                if isNew { instance.loop.begin() }
                if let result = core.result(await instance.loop.send(event), of: instance) { return result }
            }
        }
    }

    /// Reduces an event now, on the calling thread: see `Loop.perform(_:)`.
    @inlinable @discardableResult
    public func perform(_ event: Event, on key: Key) -> KeyedEmitResult {
        while true {
            switch core.find(key, for: event) {
            case .refused(let result): return result
            case .found(let instance, let isNew):
                if isNew { instance.loop.begin() }
                if let result = core.result(instance.loop.perform(event), of: instance) { return result }
            }
        }
    }

    /// The state of a key's loop, or the last state of one that has ended and is kept; nil if there is no such state.
    @inlinable
    public func state(of key: Key) -> State? { core.state(of: key) }

    /// The counters of a key's loop; nil if it does not run.
    public func counters(of key: Key) -> LoopCounters? { core.instance(of: key)?.loop.counters }

    /// The number of loops that run.
    public var count: Int { core.count }

    /// What has become of the loops so far.
    public var counters: KeyedCounters { core.counters }

    /// Loops with their states, in the order in which they were made.
    ///
    /// Each state is read by itself, so a page is no snapshot of all loops.
    /// - Parameters:
    ///   - cursor: The end of the page before; nil: from the first loop on.
    ///   - most: The most loops of the page.
    public func page(after cursor: KeyedCursor? = nil, atMost most: Int) -> KeyedPage<Key, State> {
        precondition(most > 0, "a page has room for a loop")
        return core.page(after: cursor, atMost: most)
    }

    /// Stops the loop of a key, as `Loop.stop()` does. Its last state is not kept.
    /// - Returns: Whether a loop ran.
    @discardableResult
    public func stop(_ key: Key) -> Bool { core.stop(key) }

    /// Stops all loops. Later events are refused with `.stopped`.
    public func stop() {
        door.close()
        core.stop()
    }

    /// Waits until `stop()` was called, all loops have stopped, and no effect of theirs runs any more.
    ///
    /// Inside the loops' own effects, reducer and observers, the call is a precondition failure: it would wait for
    /// itself.
    public nonisolated(nonsending) func waitForEnd() async {
        precondition(
            !core.isRunningHere, "the end of keyed loops awaited inside one of them, which waits for itself")
        await withCheckedContinuation { continuation in core.whenEnded { continuation.resume() } }
    }
}
