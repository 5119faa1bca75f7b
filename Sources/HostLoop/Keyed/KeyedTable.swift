/// A value that has its key, and knows its number in a table.
// Safe because the table sets the number before any other thread knows of the value. The key changes only in the value that
// the table searches with, under the lock of the table's owner.
@usableFromInline
class KeyedValue<Key: Hashable & Sendable>: LoopOwner, @unchecked Sendable {
    @usableFromInline final var key: Key
    /// Counts the values of all keys from 1.
    @usableFromInline final var number: UInt64 = 0

    @inlinable
    init(_ key: Key) { self.key = key }
}

/// Values by key, and in the order in which they were added. A plain value: its owner locks it.
///
/// The keys are in the values alone: a dictionary would have each key twice.
@usableFromInline
struct KeyedTable<Key: Hashable & Sendable, Value: KeyedValue<Key>>: Sendable {
    @usableFromInline
    struct Entry: Hashable, Sendable {
        @usableFromInline let value: KeyedValue<Key>

        @inlinable
        init(_ value: KeyedValue<Key>) { self.value = value }

        @inlinable
        static func == (left: Entry, right: Entry) -> Bool { left.value.key == right.value.key }

        @inlinable
        func hash(into hasher: inout Hasher) { hasher.combine(value.key) }
    }

    @usableFromInline
    struct Place: Sendable {
        /// Counts values from 1.
        @usableFromInline let number: UInt64
        /// Nil once it was removed.
        @usableFromInline var value: Value?

        @inlinable
        init(number: UInt64, value: Value) { (self.number, self.value) = (number, value) }
    }

    @usableFromInline var values: Set<Entry> = []
    /// Has the key that is looked for, so that a search makes no object. Nil before the first search.
    @usableFromInline var wanted: KeyedValue<Key>?
    /// By number. Places of removed values go when they are the half.
    @usableFromInline var places: ContiguousArray<Place> = []
    @usableFromInline var last: UInt64 = 0

    @inlinable var count: Int { values.count }

    /// All values, in order.
    var all: [Value] { places.compactMap(\.value) }

    @inlinable
    subscript(key: Key) -> Value? {
        mutating get { index(of: key).map { value(at: $0) } }
    }

    @inlinable
    func value(at index: Set<Entry>.Index) -> Value {
        // Safe because only values are added.
        unsafe unsafeDowncast(values[index].value, to: Value.self)
    }

    @inlinable
    mutating func index(of key: Key) -> Set<Entry>.Index? {
        if let wanted { wanted.key = key } else { wanted = KeyedValue(key) }
        return values.firstIndex(of: Entry(wanted!))
    }

    /// Adds a value for a key that has none, and gives it the next number.
    @inlinable
    mutating func insert(_ value: Value) { insert(value, number: last + 1) }

    /// The same with a number that is greater than those of all values.
    @inlinable
    mutating func insert(_ value: Value, number: UInt64) {
        last = max(last, number)
        value.number = number
        values.insert(Entry(value))
        places.append(Place(number: number, value: value))
    }

    /// Removes the value of a key; nil if it has none.
    @usableFromInline
    mutating func remove(_ key: Key) -> Value? {
        guard let index = index(of: key) else { return nil }
        let value = value(at: index)
        values.remove(at: index)
        places[self.index(after: value.number - 1)].value = nil
        if places.count > 64, values.count * 2 < places.count { places.removeAll { $0.value == nil } }
        return value
    }

    /// The values that follow a number, in order, with their numbers.
    ///
    /// - Parameter most: The most values.
    func values(after number: UInt64, atMost most: Int) -> (values: [Value], last: UInt64, hasMore: Bool) {
        var (found, last) = ([Value](), number)
        for place in places[index(after: number)...] {
            guard let value = place.value else { continue }
            if found.count == most { return (found, last, true) }
            found.append(value)
            last = place.number
        }
        return (found, last, false)
    }

    /// The index of the first place with a greater number.
    private func index(after number: UInt64) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].number > number { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
