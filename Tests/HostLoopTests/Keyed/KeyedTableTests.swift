import TestSupport
import Testing

@testable import HostLoop

@Suite struct KeyedTableTests {
    // Safe because one thread uses it.
    private final class Value: KeyedValue<Int>, @unchecked Sendable {
        let step: Int

        init(_ key: Int, _ step: Int) {
            self.step = step
            super.init(key)
        }
    }

    /// Random insertions and removals, against a plain list.
    @Test(arguments: UInt64(1)...20)
    func keepsTheOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = KeyedTable<Int, Value>()
        var model: [(number: UInt64, key: Int, value: Int)] = []
        var last: UInt64 = 0
        for step in 0..<1000 {
            let key = Int.random(in: 0..<200, using: &generator)
            if let index = model.firstIndex(where: { $0.key == key }) {
                #expect(table.remove(key)?.step == model[index].value)
                model.remove(at: index)
            } else {
                last += 1
                let value = Value(key, step)
                table.insert(value)
                #expect(value.number == last)
                model.append((last, key, step))
            }
            #expect(table.remove(-1) == nil && table[-1] == nil)
            let after = UInt64.random(in: 0...last, using: &generator)
            let most = Int.random(in: 1...20, using: &generator)
            let expected = model.filter { $0.number > after }
            let page = table.values(after: after, atMost: most)
            #expect(page.values.map(\.step) == expected.prefix(most).map(\.value))
            #expect(page.hasMore == (expected.count > most))
            #expect(page.last == expected.prefix(most).last?.number ?? after)
        }
        #expect(table.all.map(\.step) == model.map(\.value))
        #expect(table.count == model.count)
    }
}

@Suite struct KeptStatesTests {
    @Test func keptStatesTakeNoMoreMemoryThanTheirNumber() {
        var kept = KeptStates<Int, Int>()
        for number in 1...10_000 {
            let until = LoopInstant(nanoseconds: Int64(number))
            #expect(
                kept.keep(number, of: number % 3, UInt64(number), until: until)
                    == (number > 3 ? number - 3 : nil))
            #expect(kept.ticketCount <= 2 * kept.count + 65)
        }
        #expect(kept.count == 3)
        #expect(kept.removeFirst() == 9_998)
        // An older loop that closes late replaces no newer state, and time does not go back.
        #expect(kept.keep(-1, of: 1, 5, until: LoopInstant(nanoseconds: 20_000)) == -1)
        #expect(kept.keep(7, of: 2, 20_000, until: LoopInstant(nanoseconds: 1)) == nil)
        #expect(kept.removeAll(until: LoopInstant(nanoseconds: 9_999)) == [9_999])
        #expect(kept.removeAll(until: LoopInstant(nanoseconds: 10_000)) == [10_000, 7])
        #expect(kept.next == nil)
    }
}
