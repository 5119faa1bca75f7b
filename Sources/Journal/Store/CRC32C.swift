/// The checksum CRC-32C (Castagnoli, RFC 3720, appendix B.4), eight bytes at a time by tables.
struct CRC32C {
    private var state: UInt32 = 0xffff_ffff

    /// The checksum of what was added.
    var value: UInt32 { ~state }

    /// Adds the eight bytes of a number, the lowest first.
    mutating func add(_ number: UInt64) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe add($0) }
    }

    /// Adds bytes.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        // Safe because all indices are below the sizes of the tables and of the bytes.
        var state = state
        unsafe Self.tables.withUnsafeBufferPointer { tables in
            var index = 0
            while index + 8 <= bytes.count {
                let word = unsafe UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let mixed = word ^ UInt64(state)
                var next: UInt32 = 0
                for place in 0..<8 {
                    let byte = Int(truncatingIfNeeded: mixed >> UInt64(8 * place)) & 0xff
                    unsafe next ^= tables[(7 - place) << 8 | byte]
                }
                state = next
                index += 8
            }
            while index < bytes.count {
                unsafe state = tables[Int(UInt8(truncatingIfNeeded: state) ^ bytes[index])] ^ (state >> 8)
                index += 1
            }
        }
        self.state = state
    }

    /// Eight tables of 256 entries: the checksum of a byte that 0 to 7 bytes follow.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82f6_3b78 }
            tables[byte] = value
        }
        for place in 1..<8 {
            for byte in 0..<256 {
                let before = tables[(place - 1) << 8 | byte]
                tables[place << 8 | byte] = tables[Int(before & 0xff)] ^ (before >> 8)
            }
        }
        return tables
    }()
}
