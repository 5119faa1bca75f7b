/// Many loops of one spin, each with a key: one for each order, device or session.
///
/// The first event for a key makes its loop. All loops share what the spin describes; a loop owns its state, its
/// queue and its runs. Loops run side by side: many events for one key hold up that key only.
///
/// This is the handle. Its last release stops all loops. Closures that the loops keep must not refer to it: they
/// use the emitter that `init` gives them. May be used from any thread. Keys are hashed, compared and released under a
/// lock: their code must not use the loops.
public final class KeyedLoops<Key: Hashable & Sendable, State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline let core: KeyedCore<Key, State, Event>
    @usableFromInline let door: KeyedDoor<Key, Event>

    /// The threads that emit call `initialState`, `creates` and `observers`. When several threads emit the first
    /// event of a key at once, each of them calls these functions, and one loop is made.
    ///
    /// - Parameters:
    ///   - initialState: The state with which the loop of a key begins.
    ///   - limit: The most loops at a time. An event that would make one more is refused with `.limit`.
    ///   - keep: How long the last state of a loop that `until` has ended stays readable. Such states count for
    ///     `limit`, but give way to new loops, the oldest first.
    ///   - creates: Whether an event may make a loop; others are refused with `.absent` when there is no loop.
    ///   - observers: Makes the observers of a key's loop.
    ///   - spin: Makes the spin of all loops, once. Its emitter is a way into all loops, for effects that send
    ///     events to other keys. The spin's initial state is not used.
    @inlinable
    public init(
        startingFrom initialState: @escaping @Sendable (Key) -> State, limit: Int = .max,
        keep: Duration = .zero, creates: @escaping @Sendable (Event) -> Bool = { _ in true },
        observers: @escaping @Sendable (Key) -> [any LoopObserver<State, Event>] = { _ in [] },
        spin: (KeyedEmitter<Key, Event>) -> Spin<State, Event>
    ) {
        precondition(limit > 0, "at least one loop")
        door = KeyedDoor<Key, Event>()
        core = KeyedCore(
            spin(KeyedEmitter(door: door)),
            KeyedCore.Rules(
                initialState: initialState, limit: limit, keep: keep, creates: creates, observers: observers))
        door.open(core)
    }

    /// The same for a spin that needs no emitter.
    ///
    /// - Parameters:
    ///   - activity: Counts the loops that do something.
    ///   - faulted: Hears of failures, as observers do, with the key and number of their loop.
    ///   - begins: Called on a loop's executor before its observers and feedbacks see the initial state.
    ///   - watch: Observes the loops that do something.
    @inlinable
    package init(
        _ spin: Spin<State, Event>, startingFrom initialState: @escaping @Sendable (Key) -> State, limit: Int,
        keep: Duration, creates: @escaping @Sendable (Event) -> Bool,
        observers: @escaping @Sendable (Key) -> [any LoopObserver<State, Event>], activity: KeyedActivity,
        faulted: @escaping @Sendable (Key, UInt64, LoopFault) -> Void, begins: (@Sendable () -> Void)? = nil,
        watch: KeyedWatch<Key, State, Event>? = nil
    ) {
        door = KeyedDoor<Key, Event>()
        core = KeyedCore(
            spin,
            KeyedCore.Rules(
                initialState: initialState, limit: limit, keep: keep, creates: creates, observers: observers),
            activity, faulted: faulted, begins: begins, watch: watch)
        door.open(core)
    }

    deinit {
        door.close()
        core.stop(.released)
    }

    /// A way into the loops that keeps none of them.
    public var emitter: KeyedEmitter<Key, Event> { KeyedEmitter(door: door) }

    /// Queues an event for the loop of a key, which it may make. It never waits, and runs none of the loop's code
    /// (`LoopExecutor.caller` excepted).
    ///
    /// If one emission for a key returned before another was called, and both are for the same loop, its event is
    /// reduced first.
    @inlinable @discardableResult
    public func emit(_ event: Event, to key: Key) -> KeyedEmitResult { core.emit(event, to: key) }

    /// Queues an event like `emit`, but waits for room while the loop's bounded mailbox is full: see
    /// `Loop.send(_:)`.
    @discardableResult
    public nonisolated(nonsending) func send(_ event: Event, to key: Key) async -> KeyedEmitResult {
        await core.send(event, to: key)
    }

    /// Reduces an event now, on the calling thread: see `Loop.perform(_:)`.
    @inlinable @discardableResult
    public func perform(_ event: Event, on key: Key) -> KeyedEmitResult { core.perform(event, on: key) }

    /// The state of a key's loop, or the last state of one that has ended and is kept; nil if there is no such state.
    ///
    /// It reads as `Loop.state` does: the call waits for a reduction in progress, and the reducer of that loop must
    /// not make it.
    @inlinable
    public func state(of key: Key) -> State? { core.state(of: key) }

    /// The counters of a key's loop; nil if it does not run.
    public func counters(of key: Key) -> LoopCounters? { core.instance(of: key)?.loop.counters }

    /// The number of loops that run.
    public var count: Int { core.count }

    /// The counters of all loops that have ended, together.
    package var pastTotals: LoopCounters { core.pastTotals }

    /// What has become of the loops so far.
    public var counters: KeyedCounters { core.counters }

    /// Loops with their states, in the order in which they were made.
    ///
    /// Each state is read by itself, as `state(of:)` does, so a page is no snapshot of all loops.
    /// - Parameters:
    ///   - cursor: The end of the page before; nil: from the first loop on.
    ///   - most: The most loops of the page.
    public func page(after cursor: KeyedCursor? = nil, atMost most: Int) -> KeyedPage<Key, State> {
        precondition(most > 0, "a page has room for a loop")
        return core.page(after: cursor, atMost: most)
    }

    /// Stops the loop of a key, as `Loop.stop()` does. Its last state is not kept, and one that is kept is dropped.
    ///
    /// The key may begin again at once, while effects of the stopped loop still execute.
    /// - Returns: Whether a loop ran.
    @discardableResult
    public func stop(_ key: Key) -> Bool { core.stop(key) }

    /// Stops all loops. Later events are refused with `.stopped`.
    public func stop() { core.stop(.stopped) }

    /// The end of all loops: they were stopped, by `stop()` or by the last release, and no effect of them runs any
    /// more.
    public var ended: LoopEnd { LoopEnd(source: core) }
}
