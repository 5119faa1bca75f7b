import Records
import Testing

struct HashTests {
    /// From the reference of FNV.
    @Test(arguments: [
        ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
    ])
    func hash_isFNV1a(_ text: String, _ hash: UInt64) {
        #expect(UInt64(hashOf: text.utf8) == hash)
    }

    @Test
    func hash_ofAnotherSeed_isAnother() {
        #expect(UInt64(hashOf: "a".utf8, seed: 1) != UInt64(hashOf: "a".utf8))
    }

    @Test(arguments: [(0, "0000000000000000"), (0x1f, "000000000000001f"), (.max, "ffffffffffffffff")])
    func hex_has16Digits(_ number: UInt64, _ text: String) {
        #expect(number.hex == text)
    }
}
