/// The lines of a formatted text. The comments after consecutive lines start in the same column.
struct AlignedLines {
    enum Kind {
        case header, comment, entry, blank
    }

    private struct Line {
        let kind: Kind
        /// It has line ends if a string in it is on several lines.
        let text: [UInt8]
        let comment: ArraySlice<UInt8>?
        /// The characters of its last line.
        let width: Int
    }

    // The column of most comments in the examples, counted from 0.
    private static let usualColumn = 41
    // A longer line does not move the comments of the lines around it.
    private static let widestLine = 100

    private var lines: [Line] = []

    /// The number of characters in UTF-8 bytes.
    static func width(of bytes: ArraySlice<UInt8>) -> Int { bytes.count { $0 & 0xC0 != 0x80 } }

    /// Adds a line.
    mutating func append(_ kind: Kind, _ text: ArraySlice<UInt8>, _ comment: ArraySlice<UInt8>? = nil) {
        let last = text.lastIndex(of: UInt8(ascii: "\n")).map { text[$0...].dropFirst() } ?? text
        lines.append(Line(kind: kind, text: [UInt8](text), comment: comment, width: Self.width(of: last)))
    }

    /// Adds a blank line, unless it would be the first line, or would follow a blank line.
    mutating func endBlock() {
        if let last = lines.last, last.kind != .blank { append(.blank, []) }
    }

    /// All lines, each with the newline at its end.
    func text(newline: String) -> [UInt8] {
        var result: [UInt8] = []
        // A blank line at the end separates nothing.
        var rest = lines.last?.kind == .blank ? lines.dropLast() : lines[...]
        while let first = rest.first {
            let run = first.kind == .entry ? rest.prefix { $0.kind == .entry } : rest.prefix(1)
            rest.removeFirst(run.count)
            let column = run.reduce(Self.usualColumn) { column, line in
                line.comment == nil || line.width > Self.widestLine ? column : max(column, line.width + 2)
            }
            for line in run {
                result += line.text
                if let comment = line.comment {
                    result += repeatElement(UInt8(ascii: " "), count: max(column - line.width, 2))
                    result += comment
                }
                result += newline.utf8
            }
        }
        return result
    }
}
