// Hashes that are the same in all processes, and their text. They are not cryptographic.
extension UInt64 {
    /// The 64-bit FNV-1a hash of no bytes. Other hashes may begin with it, too.
    @inlinable package static var emptyHash: UInt64 { 0xcbf2_9ce4_8422_2325 }

    /// The 64-bit FNV-1a hash of bytes.
    ///
    /// - Parameter seed: other seeds give other hashes; FNV-1a itself has 0.
    @inlinable
    package init(hashOf bytes: some Sequence<UInt8>, seed: UInt64 = 0) {
        self = bytes.reduce(seed ^ Self.emptyHash) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// 16 lower-case hexadecimal digits.
    package var hex: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
