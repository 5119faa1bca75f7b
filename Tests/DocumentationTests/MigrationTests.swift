import Foundation
import TestSupport
import Testing

/// The tables of the articles for people who come from other libraries name only what exists.
@Suite struct MigrationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let article: String
        let original: String
        let ours: String

        var testDescription: String { "\(article): \(original)" }
    }

    static let rows = Result {
        let articles = try Article.all(in: "Sources/HostLoopVocabularies/HostLoopVocabularies.docc")
        return try articles.filter { $0.name.hasPrefix("ComingFrom") }.flatMap { article in
            try article.text.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                try #require(cells.count == 2, "\(article.name): \(line)")
                return Row(article: article.name, original: cells[0], ours: cells[1])
            }
        }
    }

    /// The names of all public symbols, without labels, and the labels of functions.
    static let names = Result {
        var names: Set<String> = ["HostLoopTesting", "nil", "async", "if", "for", "await", "any"]
        for module in ["HostLoop", "HostLoopFlow", "HostLoopVocabularies", "HostLoopTesting"] {
            for name in try SymbolGraph(of: module).symbols.flatMap(\.pathComponents) {
                names.formUnion(words(of: name))
            }
        }
        return names
    }

    /// Names that the tables use for a program's own values, and names of Swift and of the original libraries.
    private static let others: Set<String> = [
        "spin", "uiSpin", "gear", "owner", "a", "b", "f", "Driver", "Observation", "label", "Set",
        "FeedbacksTest",
        "Value",
    ]

    private static func words(of text: some StringProtocol) -> Set<String> {
        Set(
            String(text).split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" }).map(String.init)
        )
    }

    /// The words in the code spans of a cell, without the originals' `$name`.
    private static func code(in cell: String) -> Set<String> {
        let spans = cell.replacingOccurrences(of: "``", with: "`").split(
            separator: "`", omittingEmptySubsequences: false)
        return spans.enumerated().filter { $0.offset % 2 == 1 && !$0.element.contains("$") }
            .reduce(into: []) { $0.formUnion(words(of: $1.element)) }
    }

    @Test func eachLibraryHasATable() throws {
        let articles = Set(try Self.rows.get().map(\.article))
        #expect(articles.count == 5)
    }

    @Test(arguments: try rows.get()) func namesOfOursExist(_ row: Row) throws {
        let names = try Self.names.get()
        // "the same" says that the original's names are ours too.
        let words = Self.code(in: row.ours).union(
            row.ours.hasPrefix("the same") ? Self.code(in: row.original) : [])
        #expect(words.subtracting(names).subtracting(Self.others) == [])
        #expect(!row.ours.isEmpty)
    }
}
