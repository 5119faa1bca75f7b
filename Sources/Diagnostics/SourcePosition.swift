/// A place in a text, as an editor shows it.
public struct SourcePosition: Hashable, Comparable, Sendable {
    /// Line, counted from 1. Lines end at LF; a CR before it belongs to the line's end.
    public let line: Int
    /// Column, counted from 1 in Unicode scalars; a tab is one.
    public let column: Int

    /// A place; both count from 1.
    public init(line: Int, column: Int) {
        (self.line, self.column) = (line, column)
    }

    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
