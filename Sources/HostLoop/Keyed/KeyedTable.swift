/// A value that knows its number in a table.
@usableFromInline
protocol Numbered: AnyObject, Sendable {
    /// The table sets it when the value is added.
    var number: UInt64 { get set }
}

/// Values by key, and in the order in which they were added. A plain value: its owner locks it.
@usableFromInline
struct KeyedTable<Key: Hashable & Sendable, Value: Numbered>: Sendable {
    @usableFromInline
    struct Place: Sendable {
        /// Counts values from 1.
        @usableFromInline let number: UInt64
        /// Nil once it was removed.
        @usableFromInline var value: Value?

        @inlinable
        init(number: UInt64, value: Value) { (self.number, self.value) = (number, value) }
    }

    @usableFromInline var values: [Key: Value] = [:]
    /// By number. Places of removed values go when they are the half.
    @usableFromInline var places: ContiguousArray<Place> = []
    @usableFromInline var last: UInt64 = 0

    @inlinable var count: Int { values.count }

    /// All values, in order.
    var all: [Value] { places.compactMap(\.value) }

    @inlinable
    subscript(key: Key) -> Value? { values[key] }

    /// Adds a value for a key that has none, and numbers it from 1.
    @inlinable
    mutating func insert(_ value: Value, for key: Key) {
        last += 1
        value.number = last
        values[key] = value
        places.append(Place(number: last, value: value))
    }

    /// Removes the value of a key; nil if it has none.
    @usableFromInline
    mutating func remove(_ key: Key) -> Value? {
        guard let value = values.removeValue(forKey: key) else { return nil }
        places[index(after: value.number - 1)].value = nil
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
