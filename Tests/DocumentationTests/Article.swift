import Foundation
import TestSupport
import Testing

/// A Markdown file whose `swift` blocks, one after another, are a program; `Package.swift` is no part of it.
///
/// What the program prints is in the `text` blocks after a line of prose that ends in `prints:`.
struct Article: Sendable, CustomTestStringConvertible {
    /// The path from the folder of Package.swift.
    let path: String
    let blocks: [CodeBlock]

    init(_ path: String) throws {
        self.path = path
        blocks = try CodeBlock.all(in: path)
    }

    /// All articles of a catalogue.
    static func all(in catalogue: String) throws -> [Article] {
        try FileManager.default.contentsOfDirectory(
            atPath: Project.root.appendingPathComponent(catalogue).path
        )
        .filter { $0.hasSuffix(".md") }.sorted().map { try Article("\(catalogue)/\($0)") }
    }

    var name: String { URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent }

    var testDescription: String { name }

    var text: String {
        get throws { try String(contentsOf: Project.root.appendingPathComponent(path), encoding: .utf8) }
    }

    /// The program, with the places of its parts for the compiler's messages; empty without one.
    var program: String {
        blocks.filter(\.isSwift).map { block in
            "#sourceLocation(file: \"\(path)\", line: \(block.line))\n\(block.text)"
        }.joined()
    }

    /// Whether the program needs a library that this package does not build. Tests/Adapters runs it.
    var isOfAdapters: Bool {
        ["import AsyncAlgorithms\n", "import OpenCombine\n"].contains(where: program.contains)
    }

    /// What the program should print.
    var output: String { blocks.filter(\.isOutput).map(\.text).joined() }
}

extension CodeBlock {
    var isSwift: Bool { language == "swift" && file != "Package.swift" }
    var isOutput: Bool { language == "text" && lead.hasSuffix("prints:") }
}
