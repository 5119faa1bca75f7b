/// Values by the numbers of running calls. A plain value: its owner locks it.
///
/// The numbers of calls that run at one time differ in their lowest bits, which count slots. So the table looks at the
/// place with that number, and at the next ones if others are there (linear probing: D. Knuth, The Art of Computer
/// Programming 3, section 6.4). A dictionary spends most of its time on hashing.
struct TokenTable<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let number: UInt
        var value: Value
    }

    private var places = [Entry?](repeating: nil, count: 16)
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// All values, in no order.
    var all: [Value] { places.compactMap { $0?.value } }

    /// The value of a call; nil if it has none.
    subscript(number: UInt) -> Value? { place(of: number).flatMap { places[$0]?.value } }

    private var mask: Int { places.count - 1 }

    private func home(_ number: UInt) -> Int { Int(truncatingIfNeeded: number) & mask }

    private func place(of number: UInt) -> Int? {
        var index = home(number)
        while let entry = places[index] {
            if entry.number == number { return index }
            index = (index + 1) & mask
        }
        return nil
    }

    /// Adds the value of a call that has none.
    mutating func insert(_ value: Value, for number: UInt) {
        // At most half of the places are taken, so that a search ends soon.
        if count * 2 >= places.count {
            let all = places
            places = [Entry?](repeating: nil, count: all.count * 2)
            for case let entry? in all { store(entry) }
        }
        store(Entry(number: number, value: value))
        count += 1
    }

    private mutating func store(_ entry: Entry) {
        var index = home(entry.number)
        while places[index] != nil { index = (index + 1) & mask }
        places[index] = entry
    }

    /// Takes the value of a call out; nil if it has none.
    mutating func remove(_ number: UInt) -> Value? {
        guard var hole = place(of: number) else { return nil }
        let value = places[hole]?.value
        count -= 1
        // An entry behind the hole moves into it, unless its own place is behind the hole, too.
        var index = hole
        while true {
            index = (index + 1) & mask
            guard let next = places[index] else { break }
            if (index - home(next.number)) & mask >= (index - hole) & mask {
                places[hole] = next
                hole = index
            }
        }
        places[hole] = nil
        return value
    }
}
