import Diagnostics

extension TOMLSource {
    /// The text of a string value, each of whose characters knows its place in the file: escapes are resolved, and so
    /// are the first newline and the continued lines of a multi-line string.
    ///
    /// - Precondition: the node is a string of this file.
    func text(of node: TOMLNode) -> SourceText {
        guard let content = node.string else { preconditionFailure("only a string has a text") }
        let (start, closing) = (node.span.start, node.span.end)
        // As many characters as stand between two quotes: nothing is escaped.
        if start.line == closing.line, content.unicodeScalars.count == closing.column - start.column - 2 {
            return SourceText(
                text: content, file: file, start: SourcePosition(line: start.line, column: start.column + 1))
        }
        var index = index(of: node.span.start)
        let quote = scalars[index]
        let isLong = index + 2 < scalars.count && scalars[index + 1] == quote && scalars[index + 2] == quote
        // An empty string is two quotes; of a long one the closing quotes are three of at most five.
        let end = self.index(of: node.span.end) - (isLong ? 3 : 1)
        index += isLong ? 3 : 1
        if isLong, index < end {
            if scalars[index] == "\r" { index += 1 }
            if index < end, scalars[index] == "\n" { index += 1 }
        }
        var text = String.UnicodeScalarView()
        var positions: [SourcePosition] = []
        var position = position(of: index)
        func advance(to next: Int) {
            while index < next {
                position =
                    scalars[index] == "\n"
                    ? SourcePosition(line: position.line + 1, column: 1)
                    : SourcePosition(line: position.line, column: position.column + 1)
                index += 1
            }
        }
        while index < end {
            var scalar = scalars[index]
            var next = index + 1
            if quote == "\"", scalar == "\\", next < end {
                if let resolved = Self.escapes[scalars[next]] {
                    scalar = resolved
                    next += 1
                } else if scalars[next] == "u" || scalars[next] == "U" {
                    let last = min(next + (scalars[next] == "u" ? 4 : 8), end - 1)
                    let digits = String(String.UnicodeScalarView(scalars[next + 1..<last + 1]))
                    scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? "\u{FFFD}"
                    next = last + 1
                } else {
                    // A line that goes on: the backslash and all white space up to the next character vanish.
                    while next < end, [" ", "\t", "\r", "\n"].contains(scalars[next]) { next += 1 }
                    advance(to: next)
                    continue
                }
            } else if scalar == "\r", next < end, scalars[next] == "\n" {
                // toml++ gives line ends as LF.
                advance(to: next)
                continue
            }
            text.append(scalar)
            positions += repeatElement(position, count: UTF8.width(scalar))
            advance(to: next)
        }
        return SourceText(text: String(text), file: file, positions: positions + [position])
    }

    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
        "b": "\u{8}", "t": "\t", "n": "\n", "f": "\u{C}", "r": "\r", "\"": "\"", "\\": "\\",
    ]
}
