/// A position in a text, as an editor shows it.
public struct SourcePosition: Hashable, Comparable, Sendable {
    /// The line, from 1. Lines end at LF; a CR before the LF belongs to the line end.
    public let line: Int
    /// The column, from 1, in Unicode scalars; a tab counts as one.
    public let column: Int

    /// A position; both numbers start at 1.
    public init(line: Int, column: Int) {
        (self.line, self.column) = (line, column)
    }

    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
