import Testing

@testable import PluginHost

/// The hash that tells versions of a library apart.
@Suite struct ContentHashTests {
    private func hash(_ pieces: [UInt8]...) -> String {
        var hash = ContentHash()
        // Safe because the bytes are read during the call only.
        for piece in pieces { unsafe piece.withUnsafeBytes { unsafe hash.update($0) } }
        return hash.hex
    }

    @Test func `it is the same however the content is cut into pieces`() {
        let content = (0..<61).map { UInt8($0 * 37 & 0xFF) }
        for cut in stride(from: 0, through: 56, by: 8) {
            #expect(hash(Array(content[..<cut]), Array(content[cut...])) == hash(content))
        }
    }

    @Test func `contents that differ in one bit, or in length, differ in it`() {
        let content = [UInt8](repeating: 0, count: 24)
        var hashes: Set = [hash(), hash(content)]
        for bit in 0..<content.count * 8 {
            var other = content
            other[bit / 8] ^= 1 << (bit % 8)
            hashes.insert(hash(other))
        }
        for length in 1..<content.count { hashes.insert(hash(Array(content[..<length]))) }
        #expect(hashes.count == 2 + content.count * 8 + content.count - 1)
        #expect(hashes.allSatisfy { $0.utf8.count == 16 && UInt64($0, radix: 16) != nil })
    }
}
