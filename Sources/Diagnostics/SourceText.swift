/// A text with its own syntax inside a source file, such as an expression in a TOML string, that knows where each of
/// its characters stands in the file.
public struct SourceText: Sendable {
    /// The text itself, escapes of the surrounding file resolved.
    public let text: String

    private let file: SourceFile
    private let places: Places

    /// Where the characters stand in the file.
    private enum Places: Sendable {
        /// One after another, from here.
        case from(SourcePosition)
        /// By UTF-8 offset into the text; one more entry for the end.
        case each([SourcePosition])
    }

    /// A text that is a file of its own.
    public init(file: SourceFile) {
        self.init(text: file.text, file: file, start: SourcePosition(line: 1, column: 1))
    }

    /// A text that stands in the file as it is, from `start`.
    public init(text: String, file: SourceFile, start: SourcePosition) {
        (self.text, self.file, places) = (text, file, .from(start))
    }

    /// A text whose characters stand anywhere in the file.
    ///
    /// - Precondition: `positions` has one entry for each UTF-8 byte of `text` and one for its end, in rising order.
    public init(text: String, file: SourceFile, positions: [SourcePosition]) {
        precondition(positions.count == text.utf8.count + 1, "a position for each byte and one for the end")
        (self.text, self.file, places) = (text, file, .each(positions))
    }

    /// Where a range of UTF-8 offsets stands in the file. Offsets beyond the end are the end.
    public func span(of range: Range<Int>) -> SourceSpan {
        SourceSpan(file: file, start: position(of: range.lowerBound), end: position(of: range.upperBound))
    }

    /// The whole text.
    public var span: SourceSpan { span(of: 0..<text.utf8.count) }

    /// Counts the characters before the offset where their places were not told.
    private func position(of offset: Int) -> SourcePosition {
        switch places {
        case .each(let positions): return positions[min(offset, positions.count - 1)]
        case .from(let start):
            var (line, column) = (start.line, start.column)
            var rest = offset
            for scalar in text.unicodeScalars {
                rest -= UTF8.width(scalar)
                guard rest >= 0 else { break }
                if scalar == "\n" { (line, column) = (line + 1, 1) } else { column += 1 }
            }
            return SourcePosition(line: line, column: column)
        }
    }
}
