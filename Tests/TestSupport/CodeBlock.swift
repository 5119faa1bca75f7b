import Foundation

/// A fenced block of code in a Markdown file.
public struct CodeBlock: Sendable {
    /// The word after the opening fence, such as `toml`; empty without one.
    public let language: String
    /// The code, with a newline at its end.
    public let text: String
    /// The name of a file that the line before the block ends a sentence about: `` `app.toml`, which …: ``.
    public let file: String?

    /// All blocks of a file of this checkout, in order.
    public static func all(in path: String) throws -> [CodeBlock] {
        let text = try String(contentsOf: Project.root.appendingPathComponent(path), encoding: .utf8)
        var blocks: [CodeBlock] = []
        var open: (language: String, lines: [Substring], file: String?)?
        var lastLine = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let block = open {
                    blocks.append(
                        CodeBlock(
                            language: block.language, text: block.lines.joined(separator: "\n") + "\n",
                            file: block.file))
                    open = nil
                } else {
                    open = (String(line.dropFirst(3)), [], named(in: lastLine))
                }
            } else if open != nil {
                open?.lines.append(line)
            } else if !line.isEmpty {
                lastLine = String(line)
            }
        }
        return blocks
    }

    private static func named(in line: String) -> String? {
        guard line.hasPrefix("`"), line.hasSuffix(":") else { return nil }
        return String(line.dropFirst().prefix { $0 != "`" })
    }

    /// The commands of a `console` block, each with the output that follows it.
    public var commands: [(command: String, output: [String])] {
        var commands: [(command: String, output: [String])] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("$ ") {
                commands.append((String(line.dropFirst(2)), []))
            } else if !commands.isEmpty {
                commands[commands.count - 1].output.append(String(line))
            }
        }
        return commands
    }
}
