import Foundation
import TestSupport
import Testing

/// Links of the documents lead to files and headings that exist.
@Suite struct LinkTests {
    /// The Markdown files of the project by their paths, without blocks of code.
    private static func documents() throws -> [String: String] {
        let names = try Shell.run("git", ["-C", Project.root.path, "ls-files", "*.md"]).output
        return try Dictionary(
            uniqueKeysWithValues: names.split(separator: "\n").map { name in
                let url = Project.root.appendingPathComponent(String(name))
                let text = try String(contentsOf: url, encoding: .utf8)
                return (String(name), text.replacing(#/(?ms)^```.*?^```/#, with: ""))
            })
    }

    /// The names of a document's headings in links.
    private static func headings(_ text: String) -> Set<String> {
        Set(
            text.matches(of: #/(?m)^#+ (.*)$/#).map { heading in
                heading.1.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
                    .replacing(" ", with: "-")
            })
    }

    @Test func `links lead to files and headings that exist`() throws {
        let documents = try Self.documents()
        var count = 0
        for (name, text) in documents {
            for link in text.matches(of: #/\]\(([^)\s]+)\)/#).map(\.1) where !link.contains("://") {
                count += 1
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let folder = URL(fileURLWithPath: "/\(name)").deletingLastPathComponent()
                let target =
                    parts[0].isEmpty
                    ? name
                    : String(folder.appendingPathComponent(String(parts[0])).standardized.path.dropFirst())
                let file = Project.root.appendingPathComponent(target).path
                #expect(FileManager.default.fileExists(atPath: file), "\(name): \(link)")
                guard parts.count == 2, let linked = documents[target] else { continue }
                #expect(Self.headings(linked).contains(String(parts[1])), "\(name): \(link)")
            }
        }
        #expect(count > 500)
    }
}
