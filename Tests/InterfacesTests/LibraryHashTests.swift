import Foundation
import TestSupport
import Testing

@testable import Interfaces

struct LibraryHashTests {
    /// The examples of FIPS 180-4 and those of NIST's long messages, with the lengths around a block's end.
    @Test(arguments: [
        ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
    func knownHashes(text: String, count: Int, hash: String) {
        let bytes = Array(String(repeating: text, count: count).utf8)
        var whole = SHA256()
        whole.update(bytes)
        #expect(whole.hex == hash)
        var pieces = SHA256()
        var next = 0
        while next < bytes.count {
            let end = min(bytes.count, next + 1 + next % 97)
            pieces.update(Array(bytes[next..<end]))
            next = end
        }
        #expect(pieces.hex == hash)
    }

    @Test(arguments: [54, 55, 56, 57, 63, 64, 65, 119, 120, 128])
    func lengthsAroundABlock_agreeWithTheSystem(length: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("file", String(repeating: "x", count: length))
        let system = try Shell.run("/usr/bin/sha256sum", [path]).output.prefix(64)
        try LibraryHash.check(String(system), path: path)
        try LibraryHash.check(system.uppercased(), path: path)
    }

    @Test func anotherFileIsRefused_withBothHashes() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("file", "abc")
        let expected = String(repeating: "0", count: 64)
        let error = #expect(throws: InterfaceError.self) { try LibraryHash.check(expected, path: path) }
        #expect(error?.code == .hashMismatch)
        #expect(
            error?.message.contains("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
                == true)
        #expect(error?.help.contains("expected \(expected)") == true)
    }

    @Test func whatIsWritten_isAHashOrNot() {
        #expect(LibraryHash.isWellFormed(String(repeating: "aB", count: 32)))
        for text in ["", "00", String(repeating: "g", count: 64), String(repeating: "é", count: 32)] {
            #expect(!LibraryHash.isWellFormed(text))
        }
    }

    // Test cases 1, 2 and 6 of RFC 4231.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func `an authentication code is that of RFC 4231`(_ key: [UInt8], _ message: String, _ code: String) {
        #expect(SHA256.authenticationCode(of: Array(message.utf8), key: key) == code)
    }
}
