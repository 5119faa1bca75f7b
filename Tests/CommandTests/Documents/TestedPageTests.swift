import Foundation
import TestSupport
import Testing

/// No page has code that is neither tested nor named here.
struct TestedPageTests {
    /// Pages that `DocumentationTests` does not play: the test that reads them, or the reason why their code is not run.
    private static let others = [
        "docs/abi.md": "parts of programs; ZigPluginTests and LanguageTests build whole ones",
        "docs/architecture.md": "ArchitectureTests",
        "docs/control.md": "ControlDocumentTests",
        "docs/editors.md": "LspCommandTests",
        "docs/inspector.md": "an address and a refusal, which differ with each run",
        "docs/loop.md": "ExamplePictureTests",
        "docs/operators.md": "changes the machine: units, credentials and reports of the system",
        "docs/performance.md": "output of `script/bench`, which differs with each run",
        "docs/tutorials/swift-app.md": "ArticleTests",
    ]

    /// The pages with a fence, also in a list.
    private static func pagesWithCode() throws -> Set<String> {
        let names = try Shell.run(
            "git",
            [
                "-C", Project.root.path, "ls-files", "--", "README.md", "CONTRIBUTING.md", "docs/*.md",
                "bindings/*.md", "examples/*/README.md",
            ]
        ).output.split(separator: "\n").map(String.init)
        return try Set(
            names.filter { name in
                let file = Project.root.appendingPathComponent(name)
                return try String(contentsOf: file, encoding: .utf8).contains(#/(?m)^ *(```|~~~)/#)
            })
    }

    @Test func everyPageWithCode_isTestedOrNamed() throws {
        let pages = try Self.pagesWithCode()
        let played = Set(DocumentationTests.pages)
        let named = Set(Self.others.keys)
        // `DiagnosticPageTests` runs each page of a diagnostic.
        let diagnostics = pages.filter { $0.hasPrefix("docs/diagnostics/") }
        #expect(!diagnostics.isEmpty)
        #expect(pages.subtracting(diagnostics).subtracting(played).subtracting(named).sorted() == [])
        #expect(played.union(named).subtracting(pages).sorted() == [], "these pages have no code")
        #expect(played.isDisjoint(with: named))
    }
}
