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
}
