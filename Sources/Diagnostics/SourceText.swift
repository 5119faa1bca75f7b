/// A text with its own syntax inside a source file, such as an expression in a TOML string, that knows where each of
/// its characters stands in the file.
public struct SourceText: Sendable {
    /// The text itself, escapes of the surrounding file resolved.
    public let text: String

    private let file: SourceFile
    // By UTF-8 offset into `text`; one more entry for the end.
    private let positions: [SourcePosition]

    /// A text that is a file of its own.
    public init(file: SourceFile) {
        self.init(text: file.text, file: file, start: SourcePosition(line: 1, column: 1))
    }

    /// A text that stands in the file as it is, from `start`.
    public init(text: String, file: SourceFile, start: SourcePosition) {
        var positions: [SourcePosition] = []
        var (line, column) = (start.line, start.column)
        for scalar in text.unicodeScalars {
            positions += repeatElement(SourcePosition(line: line, column: column), count: scalar.utf8.count)
            if scalar == "\n" { (line, column) = (line + 1, 1) } else { column += 1 }
        }
        positions.append(SourcePosition(line: line, column: column))
        self.init(text: text, file: file, positions: positions)
    }

    /// A text whose characters stand anywhere in the file.
    ///
    /// - Precondition: `positions` has one entry for each UTF-8 byte of `text` and one for its end, in rising order.
    public init(text: String, file: SourceFile, positions: [SourcePosition]) {
        precondition(positions.count == text.utf8.count + 1, "a position for each byte and one for the end")
        (self.text, self.file, self.positions) = (text, file, positions)
    }

    /// Where a range of UTF-8 offsets stands in the file. Offsets beyond the end are the end.
    public func span(of range: Range<Int>) -> SourceSpan {
        let last = positions.count - 1
        return SourceSpan(
            file: file, start: positions[min(range.lowerBound, last)],
            end: positions[min(range.upperBound, last)])
    }

    /// The whole text.
    public var span: SourceSpan { span(of: 0..<positions.count - 1) }
}
