import Diagnostics
import Testing

struct SourceTextTests {
    @Test func offsets_becomeLinesAndColumnsInScalars() {
        let file = SourceFile(name: "x", text: "é = 1\r\n\"日\"\n")
        #expect(file.position(ofUTF8Offset: 0) == SourcePosition(line: 1, column: 1))
        #expect(file.position(ofUTF8Offset: 2) == SourcePosition(line: 1, column: 2))
        #expect(file.position(ofUTF8Offset: 8) == SourcePosition(line: 2, column: 1))
        #expect(file.position(ofUTF8Offset: 12) == SourcePosition(line: 2, column: 3))
        #expect(file.position(ofUTF8Offset: 1000) == SourcePosition(line: 3, column: 1))
        #expect(file.line(1) == "é = 1")
        #expect(file.line(9) == "")
    }

    @Test func fault_inAnEmbeddedText_pointsIntoTheFile() throws {
        let file = SourceFile(name: "app.toml", text: "x = \"ü + lefft\"")
        let text = SourceText(text: "ü + lefft", file: file, start: SourcePosition(line: 1, column: 6))
        let diagnostic = TextFault(DiagnosticCode("E001"), "unknown", at: 5..<10).diagnostic(in: text)
        let place = try #require(diagnostic.place)
        #expect(place.span.start == SourcePosition(line: 1, column: 10))
        #expect(place.span.end == SourcePosition(line: 1, column: 15))
    }
}
