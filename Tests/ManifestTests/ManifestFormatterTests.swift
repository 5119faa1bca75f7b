import Diagnostics
import Foundation
import Manifest
import TestSupport
import Testing

/// What `ManifestFormatter` makes of a text.
@Suite struct ManifestFormatterTests {
    /// A text, and what it becomes.
    struct Example: Sendable, CustomTestStringConvertible {
        let rule: String
        let before: String
        let after: String

        var testDescription: String { rule }

        init(_ rule: String, _ before: String, _ after: String) {
            (self.rule, self.before, self.after) = (rule, before, after)
        }
    }

    private func format(_ text: String) throws -> String {
        try #require(try ManifestFormatter.formatted(text, name: "app.toml"))
    }

    private func expect(
        _ before: String, becomes after: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try format(before)
        // Strings that are equal may have other bytes.
        #expect(Array(result.utf8) == Array(after.utf8), "\(result)", sourceLocation: sourceLocation)
        #expect(try format(result) == result, sourceLocation: sourceLocation)
    }

    @Test(arguments: Example.all) func text_becomesCanonical(_ example: Example) throws {
        try expect(example.before, becomes: example.after)
    }

    @Test func lines_endAsTheFirstOneDoes() throws {
        try expect(
            "a=1 # one\r\nbb=[\r\n1\r\n]\r\n\r\n\r\n#x \r\n[c]\r\n",
            becomes: """
                a  = 1\(String(repeating: " ", count: 35))# one\r
                bb = [\r
                    1,\r
                ]\r
                \r
                #x\r
                [c]\r

                """)
        try expect("a=1\nb=2\r\nc=3", becomes: "a = 1\nb = 2\nc = 3\n")
        try expect("a=1\r\nb=2\nc=3", becomes: "a = 1\r\nb = 2\r\nc = 3\r\n")
        // The line ends of a string are its own, and do not count.
        try expect("\na='''\r\n'''", becomes: "a = '''\r\n'''\n")
        try expect("a='''\n'''\r\nb=1", becomes: "a = '''\n'''\r\nb = 1\r\n")
        try expect("a=1\r\nb='''x \ny \r\nz'''", becomes: "a = 1\r\nb = '''x \ny \r\nz'''\r\n")
    }

    @Test func byteOrderMark_isRemoved() throws {
        try expect("\u{FEFF}a=1", becomes: "a = 1\n")
        try expect("\u{FEFF}a = 1\n", becomes: "a = 1\n")
        try expect("\u{FEFF}\u{FEFF}a=1", becomes: "a = 1\n")
        let bytes = try ManifestFormatter.formatted([0xEF, 0xBB, 0xBF] + "a = 1\n".utf8, name: "app.toml")
        #expect(bytes == Array("a = 1\n".utf8))
    }

    @Test func textWithoutContent_becomesEmpty() throws {
        for text in ["", "\n", " \t\n\r\n  ", "\u{FEFF}"] { try expect(text, becomes: "") }
    }

    @Test func textThatIsNotTOML_isRefused_withTheFaultOfTheParser() throws {
        func fault(_ text: String) -> String {
            do {
                return try ManifestFormatter.formatted(text, name: "app.toml") ?? "nil"
            } catch {
                return DiagnosticRenderer().render(error)
            }
        }
        #expect(
            fault("a=1\nb = {\n") == """
                error[T006]: an inline table must end on the line that it starts on
                 --> app.toml:2:6
                  |
                2 | b = {
                  |      ^
                  = help: write it on one line, or as a header with a line for each key

                """)
        for (text, code) in [("a=1\na=2", "T002"), ("a", "T001"), ("a=1\u{C}", "T001"), ("a=1\rb=2", "T001")]
        {
            #expect(fault(text).hasPrefix("error[\(code)]"))
        }
        #expect(throws: Diagnostic.self) {
            try ManifestFormatter.formatted([UInt8(ascii: "a"), 0xFF], name: "app.toml")
        }
    }

    @Test func textThatSpacesMakeTooLarge_isRefused() throws {
        func text(_ count: Int) -> String {
            let (open, close) = (String(repeating: "[\n", count: 60), String(repeating: "]", count: 60))
            return "a=" + open + String(repeating: "1,\n", count: count) + close
        }
        // Each line gets four spaces for each of 60 arrays.
        #expect(try format(text(500)).utf8.count > 500 * 240)
        #expect {
            try format(text(20_000))
        } throws: { error in
            (error as? Diagnostic)?.code == ManifestCode.fileTooLarge.code
                && (error as? Diagnostic)?.message == "the formatted text of `app.toml` is larger than 4 MiB"
        }
    }

    @Test func manifestsOfTheProject_stayAsTheyAre() throws {
        let names = try Shell.run("git", ["-C", Project.root.path, "ls-files", "*.toml"]).output
            .split(separator: "\n").map(String.init)
        // Fixtures are manifests as people may write them.
        let manifests = names.filter { !$0.hasPrefix("Tests/Fixtures/") && !$0.hasSuffix("Cargo.toml") }
        #expect(manifests.count > 20)
        for manifest in manifests {
            let text = try String(contentsOf: Project.root.appendingPathComponent(manifest), encoding: .utf8)
            #expect(try format(text) == text, "\(manifest)")
        }
    }

    @Test func manifestsInPages_stayAsTheyAre() throws {
        let names = try FileManager.default.subpathsOfDirectory(
            atPath: Project.root.appendingPathComponent("docs").path)
        var count = 0
        for page in names.filter({ $0.hasSuffix(".md") }).map({ "docs/\($0)" }) + ["README.md"] {
            for block in try CodeBlock.all(in: page) where block.language == "toml" {
                let result: String?
                // Some pages are about texts that are not TOML.
                do { result = try ManifestFormatter.formatted(block.text, name: page) } catch { continue }
                count += 1
                #expect(result == block.text, "\(page), line \(block.line)")
            }
        }
        #expect(count > 300)
    }

    @Test func manifestsOfTests_becomeStable() throws {
        var count = 0
        for name in Fixture.names {
            let bytes = [UInt8](try Data(contentsOf: Fixture.source(name)))
            let result: [UInt8]?
            // Some are not TOML.
            do { result = try ManifestFormatter.formatted(bytes, name: name) } catch { continue }
            count += 1
            let once = try #require(result, "\(name)")
            #expect(try ManifestFormatter.formatted(once, name: name) == once, "\(name)")
        }
        #expect(count > 70)
    }

    @Test func formattedManifest_saysTheSame() throws {
        let fixture = try Fixture.shared.get()
        for name in Fixture.names where name.hasPrefix("good-") {
            let text = try String(contentsOf: Fixture.source(name), encoding: .utf8)
            let before = try #require(fixture.load(name).manifest)
            let after = try #require(fixture.load(text: try format(text), as: "formatted-\(name)").manifest)
            #expect(before.plugins.map(\.declared) == after.plugins.map(\.declared), "\(name)")
            #expect(before.loops.map(\.name) == after.loops.map(\.name), "\(name)")
            for (loop, other) in zip(before.loops, after.loops) {
                #expect(loop.feedbacks.map(\.declared) == other.feedbacks.map(\.declared), "\(name)")
            }
        }
    }
}
