/// The keys for which a feedback has runs, and the changes that the requests of a new state make.
@usableFromInline
final class KeyedRequests<
    State: Sendable, Event: Sendable, Key: Hashable & Sendable, Value: Equatable & Sendable
> {
    @usableFromInline typealias Effect = FeedbackMemory<State, Event>.SendableEffect
    /// Returns the effect of a key's run, and the update for later values. Without an update, a later value
    /// replaces the run.
    @usableFromInline typealias Start = @Sendable (Key, Value) -> (effect: Effect, update: Update?)
    @usableFromInline typealias Update = @Sendable (Value) -> Effect

    @usableFromInline
    final class Entry {
        @usableFromInline let key: Key
        /// Nil until the run starts.
        @usableFromInline var run: KeyedRun<State, Event>?
        /// Nil once the key has gone, while calls of its run still execute.
        @usableFromInline var value: Value?
        @usableFromInline var update: Update?
        /// The value differs from the one that the run has.
        @usableFromInline var differs = false
        /// The number of the last change whose requests had the key.
        @usableFromInline var change: UInt64

        @inlinable
        init(_ key: Key, change: UInt64) {
            self.key = key
            self.change = change
        }
    }

    @usableFromInline let runs = KeyedRunPool<State, Event>()
    @usableFromInline let isOrdered: Bool
    @usableFromInline let start: Start
    @usableFromInline var entries: [Key: Entry] = [:]
    /// The entries of the last requests, in their order.
    @usableFromInline var current: ContiguousArray<Entry> = []
    /// The current entries whose runs must be started or updated.
    @usableFromInline var starting: ContiguousArray<Entry> = []
    @usableFromInline var changes: UInt64 = 0

    /// - Parameter isOrdered: Whether the order of the requests has a meaning.
    @inlinable
    init(isOrdered: Bool, start: @escaping Start) {
        self.isOrdered = isOrdered
        self.start = start
        runs.takeStarts = { [unowned self] in takeStarts() }
        runs.table = self
    }

    /// Compares the requests with the last ones, and notes the runs that end and that start.
    /// - Throws: `DuplicateKey`; nothing has changed then.
    @inlinable
    func change(to requests: some Sequence<(Key, Value)>) throws -> RequestChange {
        let resolved = try resolve(requests)
        var next: ContiguousArray<Entry> = []
        next.reserveCapacity(resolved.count)
        for (key, value, known) in resolved {
            let entry = known ?? add(key)
            next.append(entry)
            guard entry.value != value else { continue }
            entry.differs = entry.value != nil
            entry.value = value
            starting.append(entry)
        }
        var ending: ContiguousArray<Entry> = []
        for entry in current {
            if entry.change != changes {
                remove(entry)
            } else if !entry.differs || entry.update != nil {
                continue
            }
            ending.append(entry)
        }
        current = next
        runs.endings = ContiguousArray(arranged(ending).compactMap(\.run))
        return !starting.isEmpty ? .new : ending.isEmpty ? .same : .none
    }

    /// Notes that every run ends.
    @inlinable
    func removeAll() {
        for entry in current { remove(entry) }
        runs.endings = ContiguousArray(arranged(current).compactMap(\.run))
        current = []
    }

    @inlinable
    func takeStarts() -> ContiguousArray<KeyedRun<State, Event>> {
        var starts: ContiguousArray<KeyedRun<State, Event>> = []
        starts.reserveCapacity(starting.count)
        for entry in arranged(starting) {
            guard let value = entry.value else { continue }
            let run = entry.run ?? obtainRun(for: entry)
            if entry.differs, let update = entry.update {
                run.update = update(value)
            } else {
                (run.effect, entry.update) = start(entry.key, value)
            }
            entry.differs = false
            starts.append(run)
        }
        starting = []
        return starts
    }

    /// Finds the entries of the known keys.
    @inlinable
    func resolve(_ requests: some Sequence<(Key, Value)>) throws -> [(Key, Value, Entry?)] {
        changes += 1
        var new: Set<Key> = []
        return try requests.map { key, value in
            let entry = entries[key]
            guard entry?.change != changes, entry != nil || new.insert(key).inserted else {
                throw DuplicateKey(key)
            }
            entry?.change = changes
            return (key, value, entry)
        }
    }

    @inlinable
    func add(_ key: Key) -> Entry {
        let entry = Entry(key, change: changes)
        entries[key] = entry
        return entry
    }

    @inlinable
    func obtainRun(for entry: Entry) -> KeyedRun<State, Event> {
        let run = runs.obtain()
        let key = entry.key
        run.removeKey = { [unowned self] in entries[key] = nil }
        entry.run = run
        return run
    }

    /// Ends the run of an entry. The entry stays until the loop releases the run, since calls of it may
    /// execute.
    @inlinable
    func remove(_ entry: Entry) {
        (entry.value, entry.update, entry.differs) = (nil, nil, false)
        entry.run?.effect = nil
        // A previous loop ran for the key, so no run here will remove the entry.
        if entry.run == nil { entries[entry.key] = nil }
    }

    @inlinable
    func arranged(_ entries: ContiguousArray<Entry>) -> ContiguousArray<Entry> {
        guard !isOrdered, entries.count > 1, let type = Key.self as? any Comparable.Type else {
            return entries
        }
        return sorted(entries, by: type)
    }

    @inlinable
    func sorted<Order: Comparable>(
        _ entries: ContiguousArray<Entry>, by type: Order.Type
    ) -> ContiguousArray<Entry> {
        let keyed = entries.compactMap { entry in (entry.key as? Order).map { ($0, entry) } }
        return ContiguousArray(keyed.sorted { $0.0 < $1.0 }.map(\.1))
    }
}

/// Two requests of one state have the same key: a fault of the trigger of `Feedback.onEach`.
public struct DuplicateKey: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key, as text.
    public var key: String

    /// Makes the error for a key.
    public init(_ key: some Any) {
        self.key = String(describing: key)
    }

    /// A sentence that names the key.
    public var description: String { "two requests have the same key: \(key)" }
}
