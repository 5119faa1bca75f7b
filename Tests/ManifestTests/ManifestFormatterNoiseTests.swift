import Foundation
import Manifest
import TestSupport
import Testing

/// `ManifestFormatter` refuses a text, or keeps all that it says.
@Suite struct ManifestFormatterNoiseTests {
    /// Formats a text, and checks what must hold for any. It returns nil for a text that is not TOML.
    @discardableResult
    private func check(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String? {
        let result: String?
        do { result = try ManifestFormatter.formatted(text, name: "app.toml") } catch { return nil }
        let formatted = try #require(result, "\(text.prefix(4000))", sourceLocation: sourceLocation)
        let shown = text.prefix(4000)
        #expect(counts(formatted) == counts(text), "\(shown)", sourceLocation: sourceLocation)
        let isStable = try ManifestFormatter.formatted(formatted, name: "app.toml") == formatted
        #expect(isStable, "\(shown)", sourceLocation: sourceLocation)
        return formatted
    }

    /// How often the text has each byte, without white space and commas.
    private func counts(_ text: String) -> [UInt8: Int] {
        text.utf8.reduce(into: [:]) { counts, byte in
            if !" \t\r\n,".utf8.contains(byte) { counts[byte, default: 0] += 1 }
        }
    }

    @Test(arguments: 0..<8)
    func damagedManifests(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let originals = try Fixture.names.filter { $0.hasPrefix("good-") }.map { name in
            try String(contentsOf: Fixture.source(name), encoding: .utf8)
        }
        let parts = "[|]|{|}|\"|'|\"\"\"|\\|.|=|\n|\r\n|\n\n\n|#|# x\n|,|-|0|é|true| |\t|[[|]]|[\n|\n]|a=1\n"
            .split(separator: "|").map { Array($0.unicodeScalars) }
        var accepted = 0
        for _ in 0..<200 {
            var scalars = Array(try #require(originals.randomElement(using: &random)).unicodeScalars)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<scalars.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0...1: scalars.insert(contentsOf: parts.randomElement(using: &random)!, at: index)
                case 2:
                    scalars.removeSubrange(
                        index..<min(index + Int.random(in: 1...20, using: &random), scalars.count - 1))
                default:
                    let from = Int.random(in: 0..<scalars.count, using: &random)
                    scalars.insert(contentsOf: scalars[from..<min(from + 30, scalars.count)], at: index)
                }
            }
            if try check(String(String.UnicodeScalarView(scalars))) != nil { accepted += 1 }
        }
        #expect(accepted > 10)
    }

    @Test(arguments: 0..<20)
    func textsThatDifferInTheirSpaces_becomeTheSame(seed: UInt64) throws {
        var text = RandomTOML(seed: seed)
        text.write()
        let first = try #require(try check(text.rendered(seed: seed)))
        for other in 1...5 { #expect(try check(text.rendered(seed: seed + 100 * UInt64(other))) == first) }
    }

    @Test func largeTexts_fitIntoAManifest() throws {
        func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let result = try #require(try check(text, sourceLocation: sourceLocation))
            #expect(result.utf8.count <= Manifest.maximumSize, sourceLocation: sourceLocation)
        }
        let count = 1 << 13
        try expect("a=[\(String(repeating: "1,", count: count))]")
        try expect("a=[\(String(repeating: "[\n],{},\n", count: count))]")
        try expect("a='\(String(repeating: "x", count: 1 << 17))'#\(String(repeating: "x", count: 1 << 17))")
        try expect(
            "\(String(repeating: "k", count: 1 << 17))=1\n" + (0..<1000).map { "a\($0)=1#\n" }.joined())
        try expect(
            "k='\(String(repeating: "x", count: 1 << 17))'#\n" + (0..<1000).map { "a\($0)=1#\n" }.joined())
        try expect(String(repeating: "\n#\n\n", count: count))
        try expect("[a]\n" + String(repeating: "#\n", count: count) + "[b]\n")
        try expect((0..<2000).map { "[\(["tests", "loops", "plugins"][$0 % 3]).a\($0)]\n" }.joined())
        try expect("a=" + String(repeating: "[\n", count: 60) + String(repeating: "]", count: 60))
        try expect("a=" + String(repeating: "[[\n1,", count: 30) + String(repeating: "\n]]", count: 30))
    }
}

/// A random TOML text whose white space can be chosen again.
private struct RandomTOML {
    private enum Piece {
        case text(String)
        /// White space within a line.
        case gap
        /// At least so many line ends.
        case lines(Int)
    }

    private var pieces: [Piece] = []
    private var random: SeededGenerator
    private var names = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// The text with some white space for each gap.
    func rendered(seed: UInt64) -> String {
        var random = SeededGenerator(seed: seed)
        func gap() -> String {
            (0..<Int.random(in: 0...2, using: &random)).map { _ in Bool.random(using: &random) ? " " : "\t" }
                .joined()
        }
        return pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .gap: gap()
            case .lines(1): gap() + "\n" + gap()
            case .lines:
                gap() + (0...Int.random(in: 1...3, using: &random)).map { _ in "\n" + gap() }.joined()
            }
        }.joined()
    }

    mutating func write() {
        for _ in 0..<Int.random(in: 0...4, using: &random) { line { $0.entry(depth: 0) } }
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let root = ["loops", "plugins", "gears", "x-mine"].randomElement(using: &random)!
            line { $0.add("[", root, ".", $0.name(), "]") }
            for _ in 0..<Int.random(in: 0...4, using: &random) { line { $0.entry(depth: 0) } }
        }
    }

    private mutating func name() -> String {
        names += 1
        return [
            "k\(names)", "\"k # \(names)\"", "'k\(names)'", "key-of-some-length\(names)",
        ].randomElement(using: &random)!
    }

    /// Text with gaps between.
    private mutating func add(_ texts: String...) {
        for text in texts { pieces += [.gap, .text(text), .gap] }
    }

    private mutating func line(_ content: (inout RandomTOML) -> Void) {
        content(&self)
        if Int.random(in: 0..<4, using: &random) == 0 { add("# behind") }
        pieces.append(.lines(Int.random(in: 1...2, using: &random)))
        if Int.random(in: 0..<6, using: &random) == 0 {
            add(Bool.random(using: &random) ? "# alone" : "# off = 1")
            pieces.append(.lines(Int.random(in: 1...2, using: &random)))
        }
    }

    private mutating func entry(depth: Int) {
        add(name())
        if Int.random(in: 0..<5, using: &random) == 0 { add(".", name()) }
        add("=")
        value(depth: depth)
    }

    private mutating func value(depth: Int) {
        let count = Int.random(in: 0...3, using: &random)
        switch Int.random(in: 0..<(depth < 3 ? 9 : 6), using: &random) {
        case 0: add("1_000")
        case 1: add("'# [ \"'")
        case 2: add("\"\"\"\n  # \" \\\\ \n\n\t\"\"\"")
        case 3: add("1979-05-27 07:32:00")
        case 4: add("\"\\\"é\"")
        case 5: add("true")
        case 6:
            add("{")
            for index in 0..<count {
                if index > 0 { add(",") }
                entry(depth: depth + 1)
            }
            add("}")
        case 7:
            add("[")
            for index in 0..<count {
                if index > 0 { add(",") }
                value(depth: depth + 1)
            }
            add("]")
        default:
            add("[")
            pieces.append(.lines(1))
            for _ in 0..<count {
                value(depth: depth + 1)
                add(",")
                if Bool.random(using: &random) { add("# element") }
                pieces.append(.lines(Int.random(in: 1...2, using: &random)))
            }
            add("]")
        }
    }
}
