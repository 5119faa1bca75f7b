/// A text that diagnostics point into: a file, or what was given on a command line.
public final class SourceFile: Sendable {
    /// How messages name it: the path as the user gave it, or a word such as `expression`.
    public let name: String
    /// The whole content.
    public let text: String

    private let lines: [Substring]

    /// A text under the name that messages use.
    public init(name: String, text: String) {
        self.name = name
        self.text = text
        // By bytes: CR LF is one `Character`, and would hide the line's end.
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            let end = line.last == UInt8(ascii: "\r") ? line.index(before: line.endIndex) : line.endIndex
            return text[line.startIndex..<end]
        }
    }

    /// The text of a line, without its end; empty beyond the last.
    public func line(_ number: Int) -> Substring {
        lines.indices.contains(number - 1) ? lines[number - 1] : ""
    }

    /// Where a byte of the UTF-8 text lies; offsets beyond the end are the end.
    public func position(ofUTF8Offset offset: Int) -> SourcePosition {
        let index =
            text.utf8.index(text.startIndex, offsetBy: offset, limitedBy: text.endIndex) ?? text.endIndex
        // The last line that starts at or before the byte.
        var (low, high) = (0, lines.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lines[middle].startIndex <= index { low = middle } else { high = middle }
        }
        let column = text.unicodeScalars.distance(from: lines[low].startIndex, to: index)
        return SourcePosition(line: low + 1, column: column + 1)
    }
}
