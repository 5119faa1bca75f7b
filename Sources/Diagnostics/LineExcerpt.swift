/// The first line of a span as a terminal shows it, and the cells of the span in it.
///
/// It shows only the part of a long line around the span. A span over several lines ends at the end of its
/// first line.
struct LineExcerpt {
    /// The line, or `…`, the part around the span, and `…`.
    let line: String
    /// The number of cells before the span.
    let before: Int
    /// The number of cells of the span; at least one, so that an empty span is visible.
    let marked: Int

    /// The shown part of a line: `room` characters before the span and `reach` from its start on. For a
    /// longer span it extends to `greatestReach`.
    private static let (room, reach, greatestReach) = (60, 80, 120)

    init(_ span: SourceSpan) {
        let scalars = span.file.line(span.start.line).unicodeScalars
        func index(_ distance: Int, after start: String.Index) -> String.Index {
            scalars.index(start, offsetBy: distance, limitedBy: scalars.endIndex) ?? scalars.endIndex
        }
        let start = index(span.start.column - 1, after: scalars.startIndex)
        let end =
            span.end.line > span.start.line
            ? scalars.endIndex : index(span.end.column - 1, after: scalars.startIndex)
        var first =
            scalars.index(start, offsetBy: -Self.room, limitedBy: scalars.startIndex) ?? scalars.startIndex
        // The part must not start with a combining mark, which the terminal would put on the `…`.
        while first > scalars.startIndex, first < start, scalars[first].cells == 0 {
            first = scalars.index(after: first)
        }
        let last = max(
            index(Self.reach, after: start), min(end, index(Self.greatestReach, after: start)))
        let isCut = first > scalars.startIndex
        var line = isCut ? "…" : ""
        var (before, marked) = (isCut ? 1 : 0, 0)
        for index in scalars[first..<last].indices {
            line += scalars[index].shown
            if index < start {
                before += scalars[index].cells
            } else if index < end {
                marked += scalars[index].cells
            }
        }
        self.line = last < scalars.endIndex ? line + "…" : line
        (self.before, self.marked) = (before, max(1, marked))
    }
}
