import Records
import Testing

/// IP addresses and ranges of the expression language as values.
struct NetworkAddressTests {
    private let loopback = NetworkAddress(bits: 0x7F00_0001, isIPv4: true)
    private let range = NetworkAddress(bits: 0x0A00_0001, isIPv4: true, prefixLength: 8)

    @Test(arguments: [
        (UInt128(0), "::"), (1, "::1"), (1 << 127, "8000::"),
        (.max, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        (0x2001_0DB8_0000_0000_0000_0000_0000_0068, "2001:db8::68"),
        // Of two runs of the same length, the first one is shortened, and a single zero is not.
        (0x0001_0000_0000_0002_0003_0000_0000_0004, "1::2:3:0:0:4"),
        (0x0001_0000_0000_0002_0000_0000_0000_0003, "1:0:0:2::3"),
        (0x0000_0001_0002_0003_0004_0005_0006_0000, "0:1:2:3:4:5:6:0"),
        (0x0000_0000_0002_0003_0004_0005_0000_0000, "::2:3:4:5:0:0"),
    ])
    func text_isTheCanonicalOne(_ bits: UInt128, _ text: String) {
        #expect(NetworkAddress(bits: bits, isIPv4: false).description == text)
        #expect(NetworkAddress(bits: bits, isIPv4: false, prefixLength: 0).description == "\(text)/0")
    }

    @Test func text_ofIPv4_hasFourNumbers() {
        #expect(loopback.description == "127.0.0.1" && range.description == "10.0.0.1/8")
        #expect(NetworkAddress(bits: 0, isIPv4: true, prefixLength: 32).description == "0.0.0.0/32")
        #expect(NetworkAddress(bits: 0xFFFF_FFFF, isIPv4: true).description == "255.255.255.255")
    }

    @Test func addresses_areTexts_asJSON() {
        #expect(Value.list([.network(loopback), .network(range)]).json == #"["127.0.0.1","10.0.0.1/8"]"#)
        #expect(Value.network(loopback).kind == "net.IP" && Value.network(range).kind == "net.CIDR")
    }

    @Test func addresses_areEqualByAllTheirParts_andToNothingElse() {
        let same = NetworkAddress(bits: 0x7F00_0001, isIPv4: true)
        let others = [
            NetworkAddress(bits: 0x7F00_0001, isIPv4: false), range,
            NetworkAddress(bits: 0x7F00_0001, isIPv4: true, prefixLength: 32),
        ]
        #expect(Value.network(loopback) == .network(same) && Value.network(loopback) != .string("127.0.0.1"))
        for other in others { #expect(Value.network(loopback) != .network(other)) }
        #expect(Set(([loopback, same] + others).map(Value.network)).count == 4)
    }

    @Test func address_isNotStored() {
        var record = Record(RecordType([("text", .string), ("maybe", .optional(.string))]))
        for field in ["text", "maybe"] {
            let error = #expect(throws: RecordError.self) { try record.set(field, to: .network(loopback)) }
            #expect(error?.description == "`\(field)`: net.IP does not convert to `string`")
        }
        #expect(record["text"] == .string("") && record["maybe"] == .null)
    }

    @Test func values_areNoLarger_withAddresses() { #expect(MemoryLayout<Value>.size <= 17) }
}
