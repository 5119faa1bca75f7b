import Foundation
import LanguageServer
import Records
import TestSupport
import Testing

/// No text and no place is a fault of the server.
struct NoiseTests {
    private static let examples = ["payment", "pipeline", "sitewatch", "volume"]

    private func example(_ name: String) throws -> String {
        try String(
            contentsOf: Project.root.appendingPathComponent("examples/\(name)/app.toml"), encoding: .utf8)
    }

    @Test("every place of an example has answers", arguments: examples)
    func places(name: String) throws {
        let text = try example(name)
        let client = try EditorClient()
        var hovers = 0
        client.open(text)
        for offset in stride(from: 0, to: text.count, by: 7) {
            let index = text.index(text.startIndex, offsetBy: offset)
            client.mark("\(text[..<index])‸\(text[index...])")
            if try client.ask("hover") != .null { hovers += 1 }
            for place in try client.ask("definition").items {
                #expect(try !client.text(place["range"]).isEmpty)
            }
            try client.ask("completion")
        }
        #expect(hovers > 20, "\(hovers)")
    }

    @Test("a text that is being written has answers", arguments: examples)
    func beginnings(name: String) throws {
        let text = try example(name)
        let client = try EditorClient()
        for count in stride(from: 1, to: text.count, by: 41) {
            let prefix = String(text.prefix(count))
            client.open("\(prefix)‸")
            for item in try client.ask("completion").items {
                let edited = try client.edited("app.toml", [try #require(item["textEdit"])])
                // It replaces at most the last line.
                let lines = prefix.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                #expect(edited.hasPrefix(lines.joined(separator: "\n")), "\(item)")
            }
            try client.ask("documentSymbol")
        }
    }

    @Test("random changes leave the text that the editor has", arguments: 0..<4 as Range<UInt64>)
    func changes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let client = try EditorClient(encodings: nil)
        var units = Array("[loops.main]\nstate = { n = 0 }\n# é🙂\n".utf16)
        client.open(String(decoding: units, as: UTF16.self))
        let parts = ["", "a", "\n", "\r\n", "🙂", "é", "\"", "[", "state = 1\n"].map { Array($0.utf16) }
        for _ in 0..<200 {
            let scalars = units.indices.filter { !UTF16.isTrailSurrogate(units[$0]) } + [units.count]
            // A line end of two characters has one place.
            let places = scalars.filter {
                $0 == 0 || $0 == units.count || units[$0 - 1] != 13 || units[$0] != 10
            }
            var ends = [places.randomElement(using: &random)!, places.randomElement(using: &random)!].sorted()
            if ends[1] - ends[0] > 20 { ends[1] = ends[0] }
            let new = parts.randomElement(using: &random)!
            func position(_ offset: Int) -> Value {
                let before = units[..<offset].split(separator: 10, omittingEmptySubsequences: false)
                return .record([
                    ("line", .int(Int64(before.count - 1))),
                    ("character", .int(Int64(before.last?.count ?? 0))),
                ])
            }
            client.change(
                "app.toml",
                [
                    .record([
                        ("range", .record([("start", position(ends[0])), ("end", position(ends[1]))])),
                        ("text", .string(String(decoding: new, as: UTF16.self))),
                    ])
                ])
            units.replaceSubrange(ends[0]..<ends[1], with: new)
        }
        #expect(client.warnings.isEmpty)
        #expect(
            client.session.text(at: client.address("app.toml")) == String(decoding: units, as: UTF16.self))
    }
}
