import Diagnostics
import Testing

@testable import Manifest

@Suite struct TOMLSourceTests {
    private func parse(_ text: String) throws -> (source: TOMLSource, root: TOMLNode) {
        let source = TOMLSource(file: SourceFile(name: "test", text: text))
        return (source, try source.parse())
    }

    @Test func keysAndElementsKeepTheirOrder() throws {
        let (_, root) = try parse("z = 1\n[b.y]\nq = 1\na = 2\n[a]\n[b.c]\n[[t]]\nx = 1\n[[t]]\nx = 2\n")
        #expect(root.entries.map(\.key) == ["z", "b", "a", "t"])
        #expect(root.entry("b")?.value.entries.map(\.key) == ["y", "c"])
        #expect(root.entry("b")?.value.entry("y")?.value.entries.map(\.key) == ["q", "a"])
        let elements = root.entry("t")?.value.oneOrSeveral.map { element -> Int64? in
            if case .integer(let value) = element.entry("x")?.value.content { value } else { nil }
        }
        #expect(elements == [1, 2])
    }

    @Test func valuesOfEveryKind() throws {
        let (_, root) = try parse(
            "a = -9223372036854775808\nb = 0xFF\nc = -inf\nd = true\ne = 2026-01-01T01:02:03.5+02:00\nf = \"a\\u0000b\""
        )
        let kinds = root.entries.map(\.value.kind)
        #expect(kinds == [.integer, .integer, .float, .boolean, .date, .string])
        guard case .integer(.min) = root.entries[0].value.content,
            case .integer(255) = root.entries[1].value.content,
            case .float(-.infinity) = root.entries[2].value.content,
            case .date("2026-01-01T01:02:03.5+02:00") = root.entries[4].value.content
        else {
            Issue.record("\(root.entries)")
            return
        }
        #expect(root.entries[5].value.string == "a\u{0}b")
    }

    @Test(arguments: [
        #"x = "a\tb \u00e9\U0001F600 \"\\""#, "x = 'C:\\a \"b\"'", "x = \"\"", "x = ''", "x = \"\"\"\"\"\"",
        "x = \"\"\"\nfirst\n  second \\\n   third\\n\"\"\"", "x = \"\"\"\r\na\r\nb \\  \r\n\r\n  c\"\"\"",
        "x = '''\nraw \\ ''two'' '''", "x = \"\"\"a\"\"\"\"\"", "x = '''''two'''''", "x = \"日本\t語\"",
        "x = [ \"b\", '''c''' ]", "x = \"\"\"\\\n   \"\"\"",
    ])
    func textsAreWhatTheParserReads(toml: String) throws {
        let (source, root) = try parse(toml)
        for node in root.entries[0].value.oneOrSeveral { #expect(source.text(of: node).text == node.string) }
    }

    @Test func everyCharacterKnowsItsPlace() throws {
        let (source, root) = try parse("[a]\n  x = \"\"\"\n\\u00e9\\\n\n  日b\n\"\"\"")
        let text = source.text(of: root.entries[0].value.entries[0].value)
        #expect(text.text == "é日b\n")
        func place(_ range: Range<Int>) -> [Int] {
            let span = text.span(of: range)
            return [span.start.line, span.start.column, span.end.line, span.end.column]
        }
        // é is two bytes, 日 three.
        #expect(place(0..<2) == [3, 1, 5, 3])
        #expect(place(2..<5) == [5, 3, 5, 4])
        #expect(place(5..<6) == [5, 4, 5, 5])
        #expect(place(7..<7) == [6, 1, 6, 1])
    }

    @Test func theOutlineFindsEveryKey() {
        let text = """
            a.b = 1 # a = 2
            "q k" = { x = [ 1, { y = "}" } ], z.w = '''
            ]''' }
            [t."u.v"] # [no]
            k = [
              "a", # "
              'b' ]
            [[n]]
            m = 2026-01-01
            [[n]]
            m = 1
            """
        let outline = TOMLOutline(TOMLSource(file: SourceFile(name: "test", text: text)))
        #expect(
            outline.mentions.map { $0.path.joined(separator: "/") } == [
                "a/b", "q k", "q k/x", "q k/x/1/y", "q k/z/w", "t/u.v", "t/u.v/k", "n/0", "n/0/m", "n/1",
                "n/1/m",
            ])
    }
}
