import Foundation
import TestSupport
import Testing

/// A text that users read, compared whole with a file in `Tests/Fixtures/interfaces`.
///
/// `SPIN_REGENERATE=1 script/test --filter InterfacesTests` writes the files; read the difference before you commit it.
struct ExpectedText {
    let name: String

    func check(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/interfaces/\(name)")
        if Project.isRegenerating {
            try Data(text.utf8).write(to: file)
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        guard text != expected else { return }
        // Line by line, so that a failure shows what differs and not two pages.
        let (lines, wanted) = (text.split(separator: "\n"), expected.split(separator: "\n"))
        for (line, want) in zip(lines, wanted) where line != want {
            #expect(line == want, "in \(name)", sourceLocation: sourceLocation)
        }
        #expect(lines.count == wanted.count, "lines of \(name)", sourceLocation: sourceLocation)
        #expect(text == expected, sourceLocation: sourceLocation)
    }
}
