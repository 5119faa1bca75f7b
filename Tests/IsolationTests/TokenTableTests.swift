import TestSupport
import Testing

@testable import Isolation

struct TokenTableTests {
    /// Numbers that meet at few places, at the end of the places too, as a dictionary has them.
    @Test(arguments: UInt64(1)...40)
    func holdsWhatADictionaryHolds(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        var table = TokenTable<Int>()
        var model: [UInt: Int] = [:]
        for step in 0..<2000 {
            // Slots 0 to 7, 14 and 15, with serials: they take each other's places.
            let slot = [0, 1, 2, 3, 4, 5, 6, 7, 14, 15].randomElement(using: &numbers)!
            let number = UInt.random(in: 1...9, using: &numbers) << 24 | UInt(slot)
            if model[number] == nil, model.count < Int(seed) {
                table.insert(step, for: number)
                model[number] = step
            } else {
                #expect(table.remove(number) == model.removeValue(forKey: number))
            }
            #expect(table.count == model.count)
        }
        #expect(table.all.sorted() == model.values.sorted())
        for (number, value) in model { #expect(table[number] == value) }
        #expect(table[1 << 40] == nil)
        for number in model.keys.sorted() { #expect(table.remove(number) == model[number]) }
        #expect(table.isEmpty)
    }
}
