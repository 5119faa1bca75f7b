import Foundation
import Manifest
import Records
import TestSupport
import Testing

/// A manifest of 10,000 lines, in which a user writes.
struct LongManifestTests {
    /// Loops of 100 lines, of which one has another line for its last feedback.
    private static func text(_ changed: Int, _ line: String) -> String {
        (0..<100).map { loop in
            let last = "f93 = { effect = 'std:print', args = ['string(state.b)'] }"
            return """
                [loops.loop\(loop)]
                state    = { a\(loop) = 1, b = 2.5 }
                events   = { moved = { to = "int" } }
                on.moved = { set = { a\(loop) = "event.to" } }

                [loops.loop\(loop).feedback]

                """
                    + (0..<93).map { "f\($0) = { effect = 'std:print', args = ['string(state.b)'] }\n" }
                    .joined()
                    + (loop == changed ? line : last) + "\n"
        }.joined()
    }

    @Test(arguments: [0, 57, 99]) func answersAreThoseOfAShortOne(loop: Int) throws {
        let client = try EditorClient()
        let whole = Self.text(loop, "f93 = {}")
        #expect(whole.utf8.count { $0 == UInt8(ascii: "\n") } == 10_000)
        // The string, the array and the table have no end yet.
        let names = try client.names(Self.text(loop, "f93 = { effect = 'std:print', args = ['string(state.‸"))
        #expect(names == ["a\(loop)", "b"])
        #expect(client.diagnostics["app.toml"]?.isEmpty == false)
        client.change(
            to: Self.text(loop, "f93 = { effect = 'std:print', args = ['string(state.a‸\(loop))'] }"))
        #expect(client.diagnostics["app.toml"] == [])
        #expect(try client.ask("hover")["contents"]?.json.contains("a\(loop)") == true)
        let line = try client.ask("definition").items.first?["range"]?["start"]?["line"]
        #expect(line == .int(Int64(100 * loop + 1)))
        let edits = try client.ask("rename", [("newName", .string("sum"))])["changes"]?[
            client.address("app.toml")]
        #expect(edits?.items.count == 3)
    }

    /// What completion asks of an index.
    private func place(_ index: ManifestIndex) -> String {
        switch index.place {
        case .key(let table, let range): "key \(index.path(of: table)) \(range)"
        case .header(let table, let range, let brackets):
            "header \(index.path(of: table)) \(range) \(brackets)"
        case .value(let node, let range):
            "value \(index.path(of: node)) \(range) \(index.string(of: node)?.text ?? "") \(index.isType(node))"
        case nil: "nothing"
        }
    }

    @Test(arguments: ["hostwatch", "login", "payment", "pipeline", "tasks"])
    func anIndexThatBeginsAtAHeader_findsTheSamePlaces(example: String) throws {
        let folder = Project.root.appendingPathComponent("examples/\(example)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".toml")
        }
        var generator = SeededGenerator(seed: 7)
        var starts: Set<Int> = []
        for name in names {
            let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
            let whole = ManifestIndex(bytes)
            for _ in 0..<150 {
                let offset = Int.random(in: 0...bytes.count, using: &generator)
                let start = whole.start(before: offset)
                starts.insert(start)
                let before = Array(bytes[..<offset])
                #expect(
                    place(ManifestIndex(before, from: start)) == place(ManifestIndex(before)),
                    "\(name) up to \(offset), from \(start)")
            }
        }
        #expect(starts.count > 1)
    }
}
