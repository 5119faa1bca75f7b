import Diagnostics

extension TOMLSource {
    /// The text of a string value, with the position of each character in the file. Escapes, the first
    /// newline and continued lines of a multi-line string are resolved.
    ///
    /// - Precondition: the node is a string of this file.
    func text(of node: TOMLNode) -> SourceText {
        guard let content = node.string else { preconditionFailure("only a string has a text") }
        let (start, closing) = (node.span.start, node.span.end)
        // If the text is as long as the source between the quotes, it has no escapes.
        if start.line == closing.line, content.unicodeScalars.count == closing.column - start.column - 2 {
            return SourceText(
                text: content, file: file, start: SourcePosition(line: start.line, column: start.column + 1))
        }
        var index = index(of: node.span.start)
        let quote = scalars[index]
        let isLong = index + 2 < scalars.count && scalars[index + 1] == quote && scalars[index + 2] == quote
        // A short string ends with one quote. A long one ends with three; up to two quotes before them are
        // text.
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
                    // A continued line: the backslash and all white space up to the next character are
                    // removed.
                    while next < end, [" ", "\t", "\r", "\n"].contains(scalars[next]) { next += 1 }
                    advance(to: next)
                    continue
                }
            } else if scalar == "\r", next < end, scalars[next] == "\n" {
                // toml++ converts CRLF to LF.
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
