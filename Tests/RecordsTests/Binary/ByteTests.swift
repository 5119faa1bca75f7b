import Records
import Testing
import TestSupport

struct ByteTests {
    /// The powers of two, and the numbers beside them.
    private static let edges: [UInt64] = {
        var edges = [UInt64.max]
        for shift in 0..<UInt64(64) {
            let power = UInt64(1) << shift
            edges += [power - 1, power, power + 1]
        }
        return edges
    }()

    @Test func numbers_takeAByteForEachSevenBits_andReadTheSame() throws {
        for number in Self.edges {
            let writer = ByteWriter()
            writer.put(number)
            #expect(writer.count == max(1, (64 - number.leadingZeroBitCount + 6) / 7))
            #expect(try read(writer.bytes) { reader throws(DamagedBytes) in try reader.number() } == number)
        }
    }

    @Test func signedNumbers_areShortNearZero_andReadTheSame() throws {
        for number in Self.edges.flatMap({ [Int64(bitPattern: $0), 0 &- Int64(bitPattern: $0)] }) {
            let writer = ByteWriter()
            writer.put(signed: number)
            if (-64...63).contains(number) { #expect(writer.count == 1) }
            #expect(try read(writer.bytes) { reader throws(DamagedBytes) in try reader.signed() } == number)
        }
    }

    @Test(arguments: [
        [], [0x80], [UInt8](repeating: 0xff, count: 9), [UInt8](repeating: 0xff, count: 10),
        [UInt8](repeating: 0x80, count: 9) + [2], [UInt8](repeating: 0x80, count: 10) + [0],
    ])
    func aNumberThatIsCutOrTooLong_isDamaged(bytes: [UInt8]) {
        #expect(throws: DamagedBytes.self) {
            try read(bytes) { reader throws(DamagedBytes) in try reader.number() }
        }
    }

    @Test func theWriterGrows_andIsUsedAgain() throws {
        let writer = ByteWriter(capacity: 1)
        for round in 0..<3 {
            writer.removeAll()
            for number in 0..<5000 { writer.put(fixed: UInt32(number + round)) }
            writer.put("grün")
            writer.put([UInt8](repeating: 7, count: 1000))
            writer.put("")
            let (numbers, texts, blob) = try read(writer.bytes) { reader throws(DamagedBytes) in
                var numbers: [UInt32] = []
                for _ in 0..<5000 { numbers.append(try reader.fixed()) }
                let text = try reader.text()
                let blob = unsafe [UInt8](try reader.blob())
                return (numbers, [text, try reader.text()], blob)
            }
            #expect(numbers == (0..<5000).map { UInt32($0 + round) })
            #expect(texts == ["grün", ""])
            #expect(blob == [UInt8](repeating: 7, count: 1000))
        }
    }

    @Test func countsAndIndices_areWithinTheirBounds() throws {
        #expect(throws: DamagedBytes("2 is beyond 1")) {
            try read([2, 0]) { reader throws(DamagedBytes) in try reader.count() }
        }
        #expect(try read([1, 0]) { reader throws(DamagedBytes) in try reader.index(below: 2) } == 1)
        for count in [0, 1] {
            #expect(throws: DamagedBytes.self) {
                try read([1, 0]) { reader throws(DamagedBytes) in try reader.index(below: count) }
            }
        }
    }

    @Test func aTextThatIsNotUTF8_isDamaged() {
        #expect(throws: DamagedBytes("a text is not UTF-8")) {
            try read([2, 0xc3, 0x28]) { reader throws(DamagedBytes) in try reader.text() }
        }
    }
}

/// Reads bytes with a reader.
func read<Result>(
    _ bytes: [UInt8], _ body: (inout ByteReader) throws(DamagedBytes) -> Result
) throws(DamagedBytes) -> Result {
    let outcome: Swift.Result<Result, DamagedBytes> = unsafe bytes.withUnsafeBytes { bytes in
        var reader = unsafe ByteReader(bytes)
        do throws(DamagedBytes) { return .success(try body(&reader)) } catch { return .failure(error) }
    }
    return try outcome.get()
}
