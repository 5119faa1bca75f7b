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

    @Test func tabsWideAndCombiningCharacters_keepTheCaretsBelow() {
        let file = SourceFile(name: "x", text: "\t日本 e\u{301} bad\r\n")
        #expect(
            renderer.render(Diagnostic(.warning, DiagnosticCode("M001"), "no", at: span(file, 1, 8..<11)))
                == """
                warning[M001]: no
                 --> x:1:8
                  |
                1 | \t日本 e\u{301} bad
                  | \t       ^^^

                """)
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
