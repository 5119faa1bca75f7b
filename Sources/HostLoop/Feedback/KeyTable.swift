/// For which keys a feedback has runs, and what the requests of a new state change.
@usableFromInline
final class KeyTable<
    State: Sendable, Event: Sendable, Key: Hashable & Sendable, Value: Equatable & Sendable
> {
    @usableFromInline typealias Effect = FeedbackMemory<State, Event>.SendableEffect
    /// How the run of a key starts, and how a later value reaches it; without that it is replaced.
    @usableFromInline typealias Start = (Key, Value) -> (effect: Effect, update: ((Value) -> Effect)?)

    @usableFromInline
    final class Entry {
        @usableFromInline let key: Key
        @usableFromInline let run: KeyedRun<State, Event>
        /// Nil once the key has gone, while calls of its run still execute.
        @usableFromInline var value: Value?
        @usableFromInline var update: ((Value) -> Effect)?
        @usableFromInline var isReplaced = false
        /// The last change whose requests had the key.
        @usableFromInline var change: UInt64 = 0

        @inlinable
        init(key: Key, run: KeyedRun<State, Event>) {
            self.key = key
            self.run = run
        }
    }

    @usableFromInline let runs = KeyedRuns<State, Event>()
    @usableFromInline let isOrdered: Bool
    @usableFromInline let start: Start
    @usableFromInline var entries: [Key: Entry] = [:]
    /// Those of the last requests, in their order.
    @usableFromInline var current: ContiguousArray<Entry> = []
    @usableFromInline var changes: UInt64 = 0

    /// - Parameter isOrdered: whether the order of the requests means something.
    @inlinable
    init(isOrdered: Bool, start: @escaping Start) {
        self.isOrdered = isOrdered
        self.start = start
    }

    /// Notes in `runs` what ends and what starts.
    /// - Throws: `DuplicateKey`, having changed nothing.
    @inlinable
    func change(to requests: some Sequence<(Key, Value)>) throws -> RequestChange {
        let resolved = try resolve(requests)
        var next: ContiguousArray<Entry> = []
        next.reserveCapacity(resolved.count)
        var starts: ContiguousArray<Entry> = []
        for (key, value, known) in resolved {
            let entry = known ?? add(key)
            next.append(entry)
            guard entry.value != value else { continue }
            starts.append(entry)
            if entry.value != nil, let update = entry.update {
                entry.run.update = update(value)
            } else {
                entry.isReplaced = entry.value != nil
                let (effect, update) = start(key, value)
                entry.run.effect = effect
                entry.update = update
            }
            entry.value = value
        }
        var endings: ContiguousArray<Entry> = []
        for entry in current {
            if entry.change != changes { remove(entry) } else if !entry.isReplaced { continue }
            entry.isReplaced = false
            endings.append(entry)
        }
        current = next
        runs.endings = arranged(endings)
        runs.starts = arranged(starts)
        return !starts.isEmpty ? .new : endings.isEmpty ? .same : .none
    }

    /// Notes in `runs` that all end.
    @inlinable
    func removeAll() {
        for entry in current { remove(entry) }
        runs.endings = arranged(current)
        runs.starts = []
        current = []
    }

    /// Finds the entries of the keys that are known.
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
        let entry = Entry(key: key, run: runs.obtain())
        entry.change = changes
        entry.run.forget = { [unowned self] in entries[key] = nil }
        entries[key] = entry
        return entry
    }

    /// The entry itself stays until the loop forgets the run, for calls of it may execute.
    @inlinable
    func remove(_ entry: Entry) {
        (entry.value, entry.update) = (nil, nil)
        (entry.run.effect, entry.run.update) = (nil, nil)
    }

    @inlinable
    func arranged(_ entries: ContiguousArray<Entry>) -> ContiguousArray<KeyedRun<State, Event>> {
        guard !isOrdered, entries.count > 1, let type = Key.self as? any Comparable.Type else {
            return ContiguousArray(entries.map(\.run))
        }
        return sorted(entries, by: type)
    }

    @inlinable
    func sorted<Order: Comparable>(
        _ entries: ContiguousArray<Entry>, by type: Order.Type
    ) -> ContiguousArray<KeyedRun<State, Event>> {
        let keyed = entries.compactMap { entry in (entry.key as? Order).map { ($0, entry.run) } }
        return ContiguousArray(keyed.sorted { $0.0 < $1.0 }.map(\.1))
    }
}
