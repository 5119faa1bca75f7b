import Foundation

/// A fenced block of code in a Markdown file.
public struct CodeBlock: Sendable {
    /// The word after the opening fence, such as `toml`; empty without one.
    public let language: String
    /// The code, with a newline at its end.
    public let text: String
    /// The last line of prose before the block; empty if nothing stands between it and the block before.
    public let lead: String
    /// The line of the file where the code begins, from 1.
    public let line: Int

    /// The name of the block's file, if the line before the block begins with it and ends with a colon:
    /// `` `app.toml`, which …: ``.
    public var file: String? {
        guard lead.hasPrefix("`"), lead.hasSuffix(":") else { return nil }
        return String(lead.dropFirst().prefix { $0 != "`" })
    }

    /// All blocks of a file of this checkout, in order.
    public static func all(in path: String) throws -> [CodeBlock] {
        let text = try String(contentsOf: Project.root.appendingPathComponent(path), encoding: .utf8)
        var blocks: [CodeBlock] = []
        var open: (language: String, lines: [Substring], lead: String, start: Int)?
        var lastLine = ""
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                if let block = open {
                    blocks.append(
                        CodeBlock(
                            language: block.language, text: block.lines.joined(separator: "\n") + "\n",
                            lead: block.lead, line: block.start))
                    open = nil
                    lastLine = ""
                } else {
                    open = (String(line.dropFirst(3)), [], lastLine, index + 2)
                }
            } else if open != nil {
                open?.lines.append(line)
            } else if !line.isEmpty {
                lastLine = String(line)
            }
        }
        return blocks
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
