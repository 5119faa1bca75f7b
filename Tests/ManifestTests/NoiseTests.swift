import Diagnostics
import Foundation
import Manifest
import TestSupport
import Testing

/// Whatever a file holds: an answer, in time, with places that exist.
@Suite struct NoiseTests {
    /// Loads and renders a text, and checks what must hold for any.
    private func check(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let folder = try TemporaryFolder()
        for name in ["levels.so", "plain.so", "web.so"] {
            let library = try Fixture.shared.get().folder.url(name)
            try FileManager.default.createSymbolicLink(at: folder.url(name), withDestinationURL: library)
        }
        let file = folder.url("app.toml")
        try Data(bytes).write(to: file)
        let loaded = Manifest.load(path: file.path, standardPlugin: Fixture.standardPlugin)
        let isFaulty = loaded.diagnostics.contains { $0.severity == .error }
        #expect((loaded.manifest == nil) == isFaulty, sourceLocation: sourceLocation)
        #expect(loaded.diagnostics.count <= 201, sourceLocation: sourceLocation)
        for diagnostic in loaded.diagnostics {
            #expect(!diagnostic.message.isEmpty, sourceLocation: sourceLocation)
            guard let span = diagnostic.place?.span else { continue }
            let lines = span.file.text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
            #expect((1...lines).contains(span.start.line), sourceLocation: sourceLocation)
        }
        _ = DiagnosticRenderer(color: true).render(loaded.diagnostics, in: "app.toml")
    }

    @Test func aMegabyteOfBytes() throws {
        var random = SeededGenerator(seed: 1)
        try check((0..<1 << 20).map { _ in UInt8.random(in: 0...255, using: &random) })
        try check((0..<1 << 20).map { _ in UInt8.random(in: 32...126, using: &random) })
        try check([UInt8](repeating: 0, count: 1 << 20))
    }

    @Test(arguments: [
        ("[", ""), ("{a=", ""), ("a.", "a=1"), ("[a.", "]"), ("\"\\", ""), ("'''", ""), ("[[a]]\n", ""),
        ("#", "\n"),
    ])
    func aMegabyteOfTheSame(part: String, end: String) throws {
        let count = (1 << 20) / part.utf8.count
        try check(Array((String(repeating: part, count: count) + end).utf8))
        try check(Array(("x = " + String(repeating: part, count: count) + end).utf8))
    }

    @Test func thousandsOfFaults() throws {
        let keys = (0..<20_000).map { "wrong\($0) = 1" }
        let fixture = try Fixture.shared.get()
        let lines = try fixture.load(text: keys.joined(separator: "\n"), as: "many-lines")
        #expect(lines.diagnostics.count == 201)
        #expect(lines.diagnostics.contains { $0.code == ManifestCode.tooManyFaults.code })
        let line = try fixture.load(
            text: "app = { \(keys.joined(separator: ", ")) }\n[loops.a]\n", as: "one-line")
        #expect(line.diagnostics.count == 201)
    }

    @Test func deepTypesAndValues() throws {
        for depth in [10, 20, 50, 60] {
            let (open, close) = (String(repeating: "[", count: depth), String(repeating: "]", count: depth))
            let record =
                String(repeating: "{ x = ", count: depth) + "1" + String(repeating: " }", count: depth)
            try check(
                Array(
                    """
                    [loops.a]
                    state = { a = { type = "\(open)int\(close)" }, b = \(open)1\(close), c = \(record) }
                    events = { e = { x = \(open)"int"\(close) } }
                    """.utf8))
        }
        try check(Array("[loops.a]\nuntil = \"\(String(repeating: "(", count: 1 << 19))\"\n".utf8))
        try check(
            Array(
                "[loops.a]\nstate = { a = { type = \"\(String(repeating: "[", count: 1 << 19))\" } }\n".utf8))
    }

    @Test(arguments: 0..<8)
    func damagedManifests(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let names = ["good-levels", "good-hostwatch", "good-everything"]
        let originals = try names.map { name in
            [UInt8](try Data(contentsOf: Fixture.source(name)))
        }
        let parts = [
            "[", "]", "{", "}", "\"", "'", "\"\"\"", "\\", ".", "=", "\n", "#", ",", "-", "0", "é", "true",
        ]
        for _ in 0..<40 {
            var bytes = originals.randomElement(using: &random)!
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes.removeLast(bytes.count - max(index, 1))
                case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.insert(contentsOf: Array(parts.randomElement(using: &random)!.utf8), at: index)
                case 3:
                    bytes.removeSubrange(
                        index..<min(index + Int.random(in: 1...20, using: &random), bytes.count - 1))
                default:
                    let from = Int.random(in: 0..<bytes.count, using: &random)
                    bytes.insert(contentsOf: bytes[from..<min(from + 30, bytes.count)], at: index)
                }
                if bytes.isEmpty { bytes = [10] }
            }
            try check(bytes)
        }
    }
}
