import TestSupport
import Testing

@testable import HostLoop

@Suite struct KeyedTableTests {
    // Safe because one thread uses it.
    private final class Value: Numbered, @unchecked Sendable {
        let step: Int
        var number: UInt64 = 0

        init(_ step: Int) { self.step = step }
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
                let value = Value(step)
                table.insert(value, for: key)
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
