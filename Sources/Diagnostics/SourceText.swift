/// A text with its own syntax inside a source file, such as an expression in a TOML string. It has the
/// position in the file of each of its characters.
public struct SourceText: Sendable {
    /// The text itself, with resolved escapes of the surrounding file.
    public let text: String

    private let file: SourceFile
    private let positions: Positions

    /// The positions of the characters in the file.
    private enum Positions: Sendable {
        /// The characters follow each other from this position on.
        case from(SourcePosition)
        /// The position of each UTF-8 offset in the text, and of its end.
        case each([SourcePosition])
    }

    /// A text that is a whole file.
    public init(file: SourceFile) {
        self.init(text: file.text, file: file, start: SourcePosition(line: 1, column: 1))
    }

    /// A text that the file contains unchanged, from `start` on.
    public init(text: String, file: SourceFile, start: SourcePosition) {
        (self.text, self.file, positions) = (text, file, .from(start))
    }

    /// A text whose characters have any positions in the file.
    ///
    /// - Precondition: `positions` has one entry for each UTF-8 byte of `text` and one for its end, in rising
    ///   order.
    public init(text: String, file: SourceFile, positions: [SourcePosition]) {
        precondition(positions.count == text.utf8.count + 1, "a position for each byte and one for the end")
        (self.text, self.file, self.positions) = (text, file, .each(positions))
    }

    /// The span in the file of a range of UTF-8 offsets. Offsets after the end mean the end.
    public func span(of range: Range<Int>) -> SourceSpan {
        SourceSpan(file: file, start: position(of: range.lowerBound), end: position(of: range.upperBound))
    }

    /// The span of the whole text.
    public var span: SourceSpan { span(of: 0..<text.utf8.count) }

    /// The position of an offset. Without a table of positions, it counts the characters before the offset.
    private func position(of offset: Int) -> SourcePosition {
        switch positions {
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
