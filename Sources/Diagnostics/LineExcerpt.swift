/// The line that a span begins on, as a terminal shows it, and which of its cells are the span's.
///
/// Of a long line only the part around the span is shown. A span over several lines is shown to the end of its first.
struct LineExcerpt {
    /// The line, or `…`, the part around the span, and `…`.
    let line: String
    /// The cells before the span.
    let before: Int
    /// The cells of the span; one at least, so that also an empty span is seen.
    let marked: Int

    /// What is shown of a line: characters before the span, and from its start on, and how far a longer span extends that.
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
        // A mark that combines would stand on the `…`.
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
