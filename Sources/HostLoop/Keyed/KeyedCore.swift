/// The loops of a `KeyedLoops`, without its handle. Code of the spin runs without the lock.
@usableFromInline
final class KeyedCore<Key: Hashable & Sendable, State: Sendable, Event: Sendable>: KeyedEntrance<Key, Event>,
    // Safe because what changes is behind the lock.
    EndSource, @unchecked Sendable
{
    @usableFromInline typealias Instance = KeyedInstance<Key, State, Event>

    @usableFromInline
    struct Rules: Sendable {
        @usableFromInline let initialState: @Sendable (Key) -> State
        @usableFromInline let limit: Int
        @usableFromInline let keep: Duration
        @usableFromInline let creates: @Sendable (Event) -> Bool
        @usableFromInline let observers: @Sendable (Key) -> [any LoopObserver<State, Event>]

        @inlinable
        init(
            initialState: @escaping @Sendable (Key) -> State, limit: Int, keep: Duration,
            creates: @escaping @Sendable (Event) -> Bool,
            observers: @escaping @Sendable (Key) -> [any LoopObserver<State, Event>]
        ) {
            (self.initialState, self.limit, self.keep) = (initialState, limit, keep)
            (self.creates, self.observers) = (creates, observers)
        }
    }

    @usableFromInline
    struct Contents: Sendable {
        @usableFromInline var table = KeyedTable<Key, Instance>()
        @usableFromInline var kept = KeptStates<Key, State>()
        @usableFromInline var counters = KeyedCounters()
        /// The counters of loops that have ended.
        var past = LoopCounters()
        @usableFromInline var isStopped = false
        /// The timer for the kept states, while there is one, and how many there were.
        var timer: Cancellation?
        var timers: UInt64 = 0
        /// Loops that have not ended.
        @usableFromInline var unended = 0
        /// Those that have stopped, by their numbers: their effects may still execute.
        var ending: [UInt64: LoopCore<State, Event>] = [:]
        var endHandlers: [@Sendable () -> Void] = []
        /// What takes the place of these loops.
        var successor: Successor?

        @usableFromInline
        init() {}
    }

    /// The loops that take the place of others, and what they make of an event for those.
    struct Successor: Sendable {
        let core: KeyedCore
        let event: @Sendable (Event) -> Event?
        /// The events that wait until the loops are taken over; nil: they are.
        var waiting: [(key: Key, event: Event)]? = []
    }

    @usableFromInline let spin: Spin<State, Event>
    @usableFromInline let rules: Rules
    @usableFromInline let contents = Lock(Contents())

    /// Counts the loops that do something; nil: nothing asks for it.
    @usableFromInline let activity: KeyedActivity?
    /// Hears of failures, as observers do, with the key and number of their loop. An observer for each loop would cost
    /// more memory.
    @usableFromInline let faulted: (@Sendable (Key, UInt64, LoopFault) -> Void)?
    /// Called on a loop's executor before its observers and feedbacks see the initial state.
    @usableFromInline let begins: (@Sendable () -> Void)?
    /// Observes the loops that do something; nil: nothing asks for it.
    @usableFromInline let watch: KeyedWatch<Key, State, Event>?

    @inlinable
    init(
        _ spin: Spin<State, Event>, _ rules: Rules, _ activity: KeyedActivity? = nil,
        faulted: (@Sendable (Key, UInt64, LoopFault) -> Void)? = nil, begins: (@Sendable () -> Void)? = nil,
        watch: KeyedWatch<Key, State, Event>? = nil
    ) {
        // A plan of its own tells these loops from others of the spin.
        (self.spin, self.rules, self.activity) = (spin.on(), rules, activity)
        (self.faulted, self.begins, self.watch) = (faulted, begins, watch)
    }

    @usableFromInline var isRunningHere: Bool {
        (LoopScope.current?.core as? Door<Event>)?.plan === spin.plan
    }

    // MARK: - Events

    @inlinable
    override func emit(_ event: Event, to key: Key) -> KeyedEmitResult {
        deliver(event, to: key) { $0.emit(event) }
    }

    @inlinable
    override func perform(_ event: Event, on key: Key) -> KeyedEmitResult {
        deliver(event, to: key) { $0.perform(event) }
    }

    /// A new loop gets its event before it begins. It would begin in vain if its initial state ended it first.
    @inlinable @inline(__always)
    func deliver(
        _ event: Event, to key: Key, _ deliver: (LoopCore<State, Event>) -> EmitResult
    ) -> KeyedEmitResult {
        while true {
            switch find(key, for: event) {
            case .refused(let result): return result == .stopped ? passOn(event, to: key) : result
            case .found(let instance, let isNew):
                let delivered = deliver(instance.loop)
                if isNew { instance.loop.wake() }
                if let result = result(delivered, of: instance) { return result }
            }
        }
    }

    nonisolated(nonsending) override func send(_ event: Event, to key: Key) async -> KeyedEmitResult {
        while true {
            guard !Task.isCancelled else { return .cancelled }
            switch find(key, for: event) {
            case .refused(let result): return result == .stopped ? passOn(event, to: key) : result
            case .found(let instance, let isNew):
                if isNew {
                    let emitted = instance.loop.emit(event)
                    instance.loop.wake()
                    if emitted == .queued { return .queued }
                }
                if let result = result(await instance.loop.send(event), of: instance) { return result }
            }
        }
    }

    /// The answer to a sender; nil when the loop has stopped, and its key may begin again.
    @inlinable
    func result(_ result: EmitResult, of instance: Instance) -> KeyedEmitResult? {
        switch result {
        case .queued: return .queued
        case .full: return .full
        case .cancelled: return .cancelled
        case .stopped:
            remove(instance)
            return nil
        }
    }

    @usableFromInline
    enum Finding: Sendable {
        /// The loop of the key. A new loop must begin.
        case found(Instance, isNew: Bool)
        /// There is no loop for the event.
        case refused(KeyedEmitResult)
    }

    /// The loop of a key, made if the event may make it.
    @inlinable
    func find(_ key: Key, for event: Event) -> Finding {
        let (found, isFull) = contents.withLock { contents -> (Finding?, Bool) in
            (present(key, &contents), contents.table.count >= rules.limit)
        }
        if let found { return found }
        guard rules.creates(event) else {
            contents.withLock { $0.counters.refusedAsAbsent += 1 }
            return .refused(.absent)
        }
        guard !isFull else {
            contents.withLock { $0.counters.refusedByLimit += 1 }
            return .refused(.limit)
        }
        let made = Instance(key, of: self)
        made.makeLoop(of: spin, startingFrom: rules.initialState(key), observers: rules.observers(key))
        let (finding, released) = contents.withLock { contents -> (Finding, [State]) in
            // Other threads may have made loops meanwhile.
            if let found = present(key, &contents) { return (found, []) }
            guard contents.table.count < rules.limit else {
                contents.counters.refusedByLimit += 1
                return (.refused(.limit), [])
            }
            contents.table.insert(made)
            contents.counters.made += 1
            contents.unended += 1
            var released = contents.kept.remove(key).map { [$0] } ?? []
            while contents.table.count + contents.kept.count > rules.limit,
                let oldest = contents.kept.removeFirst()
            {
                released.append(oldest)
            }
            return (.found(made, isNew: true), released)
        }
        // Releasing a state may run any code, so it happens here.
        withExtendedLifetime(released) {}
        if case .found(_, isNew: true) = finding { return finding }
        made.discard()
        return finding
    }

    /// What is known of a key without a new loop; nil if the key has no loop.
    @inlinable @inline(__always)
    func present(_ key: Key, _ contents: inout Contents) -> Finding? {
        guard !contents.isStopped else { return .refused(.stopped) }
        return contents.table[key].map { .found($0, isNew: false) }
    }

    override func stop(_ key: Key) -> Bool {
        let (instance, kept) = contents.withLock { (remove(key, &$0), $0.kept.remove(key)) }
        withExtendedLifetime(kept) {}
        instance?.loop.stop(.stopped)
        return instance != nil
    }

    // MARK: - Reading

    func instance(of key: Key) -> Instance? { contents.withLock { $0.table[key] } }

    @inlinable
    func state(of key: Key) -> State? {
        let (instance, kept) = contents.withLock { ($0.table[key], $0.kept[key]) }
        return instance?.loop.currentState ?? kept
    }

    var count: Int { contents.withLock { $0.table.count } }

    var counters: KeyedCounters {
        contents.withLock { contents in
            var counters = contents.counters
            counters.kept = contents.kept.count
            return counters
        }
    }

    var pastTotals: LoopCounters { contents.withLock(\.past) }

    var states: [(key: Key, state: State)] {
        contents.withLock(\.table.all).map { ($0.key, $0.loop.currentState) }
    }

    func page(after cursor: KeyedCursor?, atMost most: Int) -> KeyedPage<Key, State> {
        let (instances, last, hasMore) = contents.withLock {
            $0.table.values(after: cursor?.number ?? 0, atMost: most)
        }
        return KeyedPage(
            loops: instances.map { ($0.key, $0.loop.currentState) },
            next: hasMore ? KeyedCursor(number: last) : nil)
    }
}
