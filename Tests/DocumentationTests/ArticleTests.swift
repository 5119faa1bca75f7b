import Foundation
import TestSupport
import Testing

/// The articles of the documentation catalogues, the README and the tutorial are programs that do what they say.
@Suite(.serialized) struct ArticleTests {
    static let catalogues = [
        "Sources/HostLoop/HostLoop.docc", "Sources/HostLoopFlow/HostLoopFlow.docc",
        "Sources/HostLoopVocabularies/HostLoopVocabularies.docc",
        "Sources/HostLoopTesting/HostLoopTesting.docc",
        "Sources/HostLoopOpenCombine/HostLoopOpenCombine.docc",
    ]
    static let articles = Result {
        try [Article("README.md"), Article("docs/tutorials/swift-app.md")]
            + catalogues.flatMap { try Article.all(in: $0) }
    }
    static let library = Result {
        try SwiftLibrary(of: [
            "HostLoop", "HostLoopFlow", "HostLoopVocabularies", "HostLoopTesting", "CMemoryOrder",
        ])
    }

    @Test(arguments: try articles.get().filter { !$0.program.isEmpty && !$0.isOfAdapters })
    func program_printsWhatTheArticleSays(_ article: Article) throws {
        let output = try Self.library.get().output(of: article.program)
        #expect(output == article.output)
    }

    /// Code that is not run has no place in a catalogue: a block is a part of the article's program, what that prints,
    /// or text, as code of other libraries and diagrams are.
    @Test(arguments: try catalogues.flatMap { try Article.all(in: $0) })
    func blocks_areTheProgram_itsOutput_orText(_ article: Article) throws {
        for block in article.blocks {
            #expect(["swift", "text"].contains(block.language), "\(article.path):\(block.line)")
        }
        let fences = try article.text.split(separator: "\n").filter {
            $0.contains("```") || $0.contains("~~~")
        }
        #expect(fences.allSatisfy { $0.hasPrefix("```") })
        #expect(fences.count == 2 * article.blocks.count)
        let first = article.blocks.firstIndex(where: \.isSwift) ?? article.blocks.endIndex
        #expect(article.blocks[..<first].allSatisfy { !$0.isOutput }, "output before the program begins")
        #expect(
            article.blocks.contains(where: \.isOutput) == article.blocks.contains(where: \.isSwift),
            "an article shows what its program prints")
    }

    @Test(arguments: catalogues) func articles_areTopicsOfTheLandingPage(_ catalogue: String) throws {
        let articles = try Article.all(in: catalogue)
        let landing = URL(fileURLWithPath: catalogue).deletingPathExtension().lastPathComponent
        let page = try #require(articles.first { $0.name == landing }).text
        for article in articles where article.name != landing {
            #expect(page.contains("- <doc:\(article.name)>\n"), "\(article.name)")
        }
    }
}
