import Foundation
import TestSupport
import Testing

/// Every diagnostic code has a page, and every page shows what really happens.
///
/// `SPIN_REGENERATE=1 script/test --filter DiagnosticPageTests` puts what is printed now into the pages and the index; read
/// the difference before you commit it.
@Suite(.timeLimit(.minutes(10))) struct DiagnosticPageTests {
    @Test func everyCode_hasAPage_andEveryPageACode() throws {
        let codes = try DefinedCode.all.get().map(\.name)
        #expect(codes.count > 100)
        #expect(Set(codes).count == codes.count)
        let missing = Set(codes).subtracting(DiagnosticPage.codes).sorted()
        #expect(missing == [], "write `docs/diagnostics/CODE.md`, as its README says")
        #expect(Set(DiagnosticPage.codes).subtracting(codes).sorted() == [])
    }

    @Test func everyCode_hasAMeaning() throws {
        for code in try DefinedCode.all.get() {
            #expect(!code.meaning.isEmpty, "\(code.name) is documented in one sentence where it is defined")
        }
    }

    @Test(arguments: DiagnosticPage.codes)
    func page_showsWhatIsPrinted(_ code: String) throws {
        let meaning = try #require(try DefinedCode.all.get().first { $0.name == code }?.meaning)
        let page = try DiagnosticPage(code)
        let run = try page.run(meaning: meaning, isRegenerating: Project.isRegenerating)
        if Project.isRegenerating { try page.write(run.text) }
        #expect(run.text == (try DiagnosticPage(code).text))
        let tests = page.linkedTests
        if !tests.isEmpty {
            // No command prints the code: a test shows it.
            #expect(tests.allSatisfy { FileManager.default.fileExists(atPath: $0.path) })
        } else {
            func shows(_ output: String) -> Bool {
                output.contains("[\(code)]") || output.contains("\"code\":\"\(code)\"")
            }
            #expect(run.outputs.dropLast().contains(where: shows), "no example shows \(code)")
            #expect(run.outputs.last.map(shows) == false, "\(code) is not put right")
        }
    }

    @Test func index_namesEveryCode() throws {
        let file = DiagnosticPage.folder.appendingPathComponent("README.md")
        let shown = try String(contentsOf: file, encoding: .utf8)
        let introduction = shown.prefix(upTo: shown.firstRange(of: "\n## ")?.lowerBound ?? shown.endIndex)
        let index = try String(introduction) + Self.index(of: DefinedCode.all.get())
        if Project.isRegenerating { try Data(index.utf8).write(to: file) }
        #expect(index == (try String(contentsOf: file, encoding: .utf8)))
    }

    private static func index(of codes: [DefinedCode]) -> String {
        let parts = [
            ("T", "TOML"), ("M", "The manifest"), ("E", "Expressions"), ("C", "C declarations and calls"),
            ("P", "Libraries, plugins and output"), ("R", "A run"), ("J", "The journal"),
            ("U", "The command line"),
        ]
        #expect(codes.allSatisfy { code in parts.contains { code.name.hasPrefix($0.0) } })
        return parts.map { letter, title in
            let own = codes.filter { $0.name.hasPrefix(letter) }
            guard !own.isEmpty else { return "" }
            let lines = own.map { "- [\($0.name)](\($0.name).md): \($0.meaning)\n" }
            return "\n## \(letter): \(title)\n\n\(lines.joined())"
        }.joined()
    }
}
