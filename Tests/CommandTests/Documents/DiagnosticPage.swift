import Foundation
import TestSupport

/// A page of `docs/diagnostics`: what a code means, an example that shows it, and the example put right.
///
/// A block that follows a line `` `NAME`: `` is a file. A `console` block has commands and what each of them prints, and a
/// `text` block may be a `TerminalStory`. They run one after the other, in a folder with the files that stand above.
struct DiagnosticPage {
    static let folder = Project.root.appendingPathComponent("docs/diagnostics")

    /// The codes that have a page, by name.
    static let codes: [String] =
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?
        .filter { $0.hasSuffix(".md") && $0 != "README.md" }.map { String($0.dropLast(3)) }.sorted() ?? []

    /// What came of running a page.
    struct Run {
        /// The page as it should be: with the code's meaning and what the commands print.
        var text: String
        /// What each `console` block printed, and what came after each command of a story.
        var outputs: [String]
    }

    let code: String
    let text: String
    private let file: URL

    init(_ code: String) throws {
        self.code = code
        file = Self.folder.appendingPathComponent("\(code).md")
        text = try String(contentsOf: file, encoding: .utf8)
    }

    /// Replaces the page.
    func write(_ text: String) throws { try Data(text.utf8).write(to: file) }

    /// The files in `Tests` that the page links to.
    var linkedTests: [URL] {
        text.matches(of: #/\]\(([^)]*Tests/[^)]*)\)/#).map {
            Self.folder.appendingPathComponent(String($0.1)).standardized
        }
    }

    /// Does what the page shows.
    ///
    /// - Parameter isRegenerating: whether a story takes over what is printed; what `console` blocks print is always in the text.
    func run(meaning: String, isRegenerating: Bool) throws -> Run {
        let folder = try TemporaryFolder()
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var outputs: [String] = []
        var blocks: [(lines: Range<Int>, text: [String])] = []
        for block in try CodeBlock.all(in: "docs/diagnostics/\(code).md") {
            if let file = block.file { try folder.write(file, block.text) }
            let shown = block.text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)
            let place = block.line - 1..<block.line - 1 + shown.count
            if let story = TerminalStory(block) {
                let told = try story.play(in: folder, isRegenerating: isRegenerating)
                outputs += told.map { $0.joined(separator: "\n") }
                blocks.append((place, Array(told.joined())))
            }
            guard block.language == "console" else { continue }
            var (text, output): ([String], [String]) = ([], [])
            for (command, expected) in Self.commands(in: shown.map(String.init)) {
                let printed = try Self.output(of: command, in: folder)
                output += printed
                text += ["$ \(command)"]
                text += DocumentationTests.matches(printed, expected) ? expected : printed
            }
            outputs.append(output.joined(separator: "\n"))
            blocks.append((place, text))
        }
        for block in blocks.reversed() { lines.replaceSubrange(block.lines, with: block.text) }
        lines[0] = "# \(code): \(meaning)"
        return Run(text: lines.joined(separator: "\n"), outputs: outputs)
    }

    private static func commands(in lines: [String]) -> [(command: String, output: [String])] {
        var commands: [(command: String, output: [String])] = []
        for line in lines {
            if line.hasPrefix("$ ") {
                commands.append((String(line.dropFirst(2)), []))
            } else if !commands.isEmpty {
                commands[commands.count - 1].output.append(line)
            }
        }
        return commands
    }

    /// The lines that a command prints to either output, without the folder's path and without empty lines at the end.
    private static func output(of command: String, in folder: TemporaryFolder) throws -> [String] {
        let outcome = try Shell.run(
            "bash", ["-c", "exec 2>&1\n\(command)"], in: folder.root, environment: Spinhost.environment)
        var lines = outcome.output.replacing("\(folder.root.path)/", with: "")
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
