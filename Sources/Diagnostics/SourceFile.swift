/// A text that diagnostics point into: a file, or an argument of a command line.
public final class SourceFile: Sendable {
    /// Its name in messages: the path as the user gave it, or a word such as `expression`.
    public let name: String
    /// The whole content.
    public let text: String
    /// Its place among the files that belong together, from 0: diagnostics are shown in this order.
    public let order: Int

    /// By line, the UTF-8 offset of its first character.
    private let lineStarts: [Int]

    /// A text under the name that messages use.
    public init(name: String, text: String, order: Int = 0) {
        (self.name, self.text, self.order) = (name, text, order)
        var lineStarts = [0]
        // Scans bytes, because CR LF is one `Character`. An array is ten times as fast as the string's view.
        for (offset, byte) in Array(text.utf8).enumerated() where byte == UInt8(ascii: "\n") {
            lineStarts.append(offset + 1)
        }
        self.lineStarts = lineStarts
    }

    /// The text of a line without its line end; empty after the last line.
    public func line(_ number: Int) -> Substring {
        guard lineStarts.indices.contains(number - 1) else { return "" }
        let bytes = text.utf8
        var end = number < lineStarts.count ? index(lineStarts[number] - 1) : bytes.endIndex
        let start = index(lineStarts[number - 1])
        if bytes[start..<end].last == UInt8(ascii: "\r") { end = bytes.index(before: end) }
        return text[start..<end]
    }

    /// The position of a UTF-8 offset. Offsets after the end mean the end.
    public func position(ofUTF8Offset offset: Int) -> SourcePosition {
        let offset = min(offset, text.utf8.count)
        // The last line that starts at or before the byte.
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let column = text.unicodeScalars.distance(from: index(lineStarts[low]), to: index(offset))
        return SourcePosition(line: low + 1, column: column + 1)
    }

    private func index(_ offset: Int) -> String.Index { text.utf8.index(text.startIndex, offsetBy: offset) }
}
