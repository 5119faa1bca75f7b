import Diagnostics
import Testing

struct DiagnosticRendererTests {
    private let renderer = DiagnosticRenderer()

    private func span(_ file: SourceFile, _ line: Int, _ columns: Range<Int>) -> SourceSpan {
        SourceSpan(
            file: file, start: SourcePosition(line: line, column: columns.lowerBound),
            end: SourcePosition(line: line, column: columns.upperBound))
    }

    @Test func diagnostic_showsPlaceLineCaretsAndHelp() {
        let file = SourceFile(name: "app.toml", text: "a = 1\nset   = { lefft = \"event.to\" }\n")
        let diagnostic = Diagnostic(
            .error, DiagnosticCode("M012"), "unknown field `lefft` in `set`", at: span(file, 2, 11..<16),
            label: "`loops.levels.state` has `left`, `right`", help: ["did you mean `left`?"])
        #expect(
            renderer.render(diagnostic) == """
                error[M012]: unknown field `lefft` in `set`
                 --> app.toml:2:11
                  |
                2 | set   = { lefft = "event.to" }
                  |           ^^^^^ `loops.levels.state` has `left`, `right`
                  = help: did you mean `left`?

                """)
    }

    @Test func relatedPlace_isShownBelow() {
        let file = SourceFile(name: "app.toml", text: "one = 1\n\none = 2")
        let diagnostic = Diagnostic(
            .error, DiagnosticCode("T002"), "`one` stands twice", at: span(file, 3, 1..<4), label: "again",
            related: [Diagnostic.Label(span(file, 1, 1..<4), "first here")])
        #expect(
            renderer.render(diagnostic) == """
                error[T002]: `one` stands twice
                 --> app.toml:3:1
                  |
                3 | one = 2
                  | ^^^ again
                ...
                1 | one = 1
                  | --- first here

                """)
    }

    /// The line and the marks below it, of a line with `[` and `]` around the span.
    private func excerpt(_ marked: String) -> [String] {
        let scalars = Array(marked.unicodeScalars)
        guard let start = scalars.firstIndex(of: "["), let end = scalars.lastIndex(of: "]") else { return [] }
        let text = String(String.UnicodeScalarView(scalars.filter { $0 != "[" && $0 != "]" }))
        let file = SourceFile(name: "x", text: text)
        let diagnostic = Diagnostic(.error, DiagnosticCode("M001"), "no", at: span(file, 1, start + 1..<end))
        return renderer.render(diagnostic).split(separator: "\n", omittingEmptySubsequences: false)
            .dropFirst(3).prefix(2).map { String($0.dropFirst(4)) }
    }

    @Test func tabs_haveAFixedWidth_beforeAndInASpan() {
        #expect(excerpt("\ta\t[bad]\tb") == ["    a    bad    b", "         ^^^"])
        #expect(excerpt("a [b\tc] d") == ["a b    c d", "  ^^^^^^"])
    }

    @Test func wideCharacters_haveTwoMarks() {
        #expect(excerpt("日本 [bad]") == ["日本 bad", "     ^^^"])
        #expect(excerpt("a [日本] b") == ["a 日本 b", "  ^^^^"])
        #expect(excerpt("🚀✅ [🚀] 🇩🇪 b") == ["🚀✅ 🚀 🇩🇪 b", "     ^^"])
        #expect(excerpt("🇩🇪 [한] b") == ["🇩🇪 한 b", "   ^^"])
    }

    @Test func combiningCharacters_haveNoMarkOfTheirOwn() {
        #expect(excerpt("e\u{301} [bad]") == ["e\u{301} bad", "  ^^^"])
        #expect(excerpt("a [e\u{301}e\u{301}] b") == ["a e\u{301}e\u{301} b", "  ^^"])
        #expect(excerpt("a e[\u{301}] b") == ["a e\u{301} b", "   ^"])
    }

    @Test func charactersThatHide_areShownAsOne() {
        #expect(excerpt("a\u{202E}b\u{200B}c [bad]") == ["a\u{FFFD}b\u{FFFD}c bad", "      ^^^"])
        #expect(excerpt("a [\u{FEFF}] b") == ["a \u{FFFD} b", "  ^"])
        #expect(excerpt("a\u{2028}b [c]") == ["a\u{FFFD}b c", "    ^"])
    }

    @Test func lineEndsOfWindows_areNoCharacters() {
        let file = SourceFile(name: "x", text: "one = 1\r\ntwo = 2\r\n")
        #expect(
            renderer.render(Diagnostic(.error, DiagnosticCode("M001"), "no", at: span(file, 2, 7..<8))) == """
                error[M001]: no
                 --> x:2:7
                  |
                2 | two = 2
                  |       ^

                """)
    }

    @Test func spanOverSeveralLines_isMarkedToTheEndOfItsFirst() {
        let file = SourceFile(name: "x", text: "a = [\n  1,\n]\n")
        let span = SourceSpan(
            file: file, start: SourcePosition(line: 1, column: 5), end: SourcePosition(line: 3, column: 2))
        let text = renderer.render(
            Diagnostic(.error, DiagnosticCode("M001"), "no", at: span, label: "this"))
        #expect(text == "error[M001]: no\n --> x:1:5\n  |\n1 | a = [\n  |     ^ this\n")
    }

    @Test(arguments: ["a = ", "a = \n", ""])
    func endOfFile_hasOneMark(_ content: String) {
        let file = SourceFile(name: "x", text: content)
        let end = file.position(ofUTF8Offset: content.utf8.count)
        let span = SourceSpan(file: file, start: end, end: end)
        let text = renderer.render(Diagnostic(.error, DiagnosticCode("T001"), "early", at: span))
        #expect(text.hasSuffix("\n  | \(String(repeating: " ", count: end.column - 1))^\n"), "\(text)")
        #expect(text.contains(" --> x:\(end.line):\(end.column)\n"))
    }

    @Test func longWords_areCut() {
        let name = String(repeating: "a", count: 100_000)
        let file = SourceFile(name: "x", text: "\(name) = 1")
        let text = renderer.render(
            Diagnostic(
                .error, DiagnosticCode("M007"), "unknown key `\(name)`", at: span(file, 1, 1..<100_001),
                label: name, notes: [name], help: [name]))
        #expect(text.utf8.count < 5000)
        #expect(text.contains("aaa…\n"))
    }

    @Test func controlCharacters_cannotReachTheTerminal() {
        let file = SourceFile(name: "x", text: "a\u{1B}[31m")
        #expect(
            renderer.render(
                Diagnostic(.error, DiagnosticCode("M001"), "bad \u{1B}]0;x", at: span(file, 1, 2..<3))) == """
                    error[M001]: bad ␛]0;x
                     --> x:1:2
                      |
                    1 | a␛[31m
                      |  ^

                    """)
    }

    @Test func longLine_isCutAroundTheSpan() {
        let file = SourceFile(name: "x", text: String(repeating: "a", count: 5000))
        let text = renderer.render(
            Diagnostic(.error, DiagnosticCode("M001"), "long", at: span(file, 1, 2000..<2003)))
        let expected =
            "1 | …" + String(repeating: "a", count: 140) + "…\n  |  " + String(repeating: " ", count: 60)
            + "^^^\n"
        #expect(text == "error[M001]: long\n --> x:1:2000\n  |\n" + expected)
    }

    @Test func longLine_isNotCutThroughACharacter() {
        let file = SourceFile(name: "x", text: String(repeating: "e\u{301}", count: 500))
        for column in 401...402 {
            let text = renderer.render(
                Diagnostic(.error, DiagnosticCode("M001"), "long", at: span(file, 1, column..<column + 1)))
            #expect(text.contains("\n1 | …e\u{301}e\u{301}"))
        }
    }

    @Test func several_comeInFileOrder_withTheirCount() {
        let file = SourceFile(name: "x", text: "a\nb\n")
        let all = [
            Diagnostic(.error, DiagnosticCode("M002"), "second", at: span(file, 2, 1..<2)),
            Diagnostic(.warning, DiagnosticCode("M001"), "first", at: span(file, 1, 1..<2)),
            Diagnostic(.error, DiagnosticCode("M003"), "whole"),
        ]
        let text = renderer.render(all, in: "x")
        let heads = text.split(separator: "\n").filter { $0.contains("]:") || $0.hasSuffix(" in x") }
        #expect(
            heads == [
                "error[M003]: whole", "warning[M001]: first", "error[M002]: second", "error: 2 faults in x",
                "warning: 1 warning in x",
            ])
        #expect(renderer.render([], in: "x").isEmpty)
    }

    @Test func color_onlyAddsEscapes() throws {
        let file = SourceFile(name: "x", text: "abc")
        let diagnostic = Diagnostic(
            .error, DiagnosticCode("M001"), "m", at: span(file, 1, 1..<2), help: ["h"])
        let colored = DiagnosticRenderer(color: true).render(diagnostic)
        #expect(colored.contains("\u{1B}["))
        #expect(colored.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") == renderer.render(diagnostic))
    }
}
