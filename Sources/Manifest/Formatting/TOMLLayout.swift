/// The parts of a TOML text in their order, without the white space between them.
struct TOMLLayout {
    /// A value as it is written.
    indirect enum Value {
        /// A string, number, boolean or date.
        case plain(ArraySlice<UInt8>)
        case table([(key: [UInt8], value: Value)])
        case array(Elements)
    }

    /// The elements of an array. The author decides where its lines end.
    struct Elements {
        /// A line of an array on several lines: values, a comment, or both. Without either it is blank.
        struct Line {
            var values: [Value] = []
            var comment: ArraySlice<UInt8>?

            var isBlank: Bool { values.isEmpty && comment == nil }
        }

        var lines: [Line] = []
        /// The comment after the opening bracket.
        var opening: ArraySlice<UInt8>?
        /// False for an array on one line, which has one line at most.
        var hasLines = false
    }

    /// A line of the text, or several for a value on several lines.
    enum Item {
        case blank
        case comment(ArraySlice<UInt8>)
        case entry(key: [UInt8], Value, comment: ArraySlice<UInt8>?)
    }

    /// A header and all that follows it, up to the next one.
    struct Section {
        /// A header such as `[loops.main]`.
        struct Header {
            let text: [UInt8]
            /// The first part of its path, without quotes.
            let root: String
            let comment: ArraySlice<UInt8>?
        }

        /// The comments directly above the header.
        var above: [ArraySlice<UInt8>] = []
        /// Nil for the start of the text, and for comments between blank lines.
        var header: Header?
        var items: [Item] = []

        /// The section, and a further one for the comments at its end that follow a blank line. They are the
        /// title of the sections below.
        var separatingTitle: [Section] {
            let body = items.lastIndex { if case .entry = $0 { true } else { false } }.map { $0 + 1 } ?? 0
            guard
                let blank = items[body...].firstIndex(where: { if case .blank = $0 { true } else { false } })
            else { return [self] }
            var (section, title) = (self, Section())
            section.items = [Item](items[..<blank])
            title.items = [Item](items[blank...])
            let hasComment = title.items.contains { if case .comment = $0 { true } else { false } }
            return hasComment ? [section, title] : [self]
        }
    }

    /// Whether a comment is for a program that reads the file, such as `#!/usr/bin/env spinhost` or `#:schema`.
    static func isDirective(_ comment: ArraySlice<UInt8>) -> Bool {
        comment.starts(with: "#:".utf8) || comment.starts(with: "#!".utf8)
    }

    var sections: [Section]
    /// Whether lines end with CR LF, as the first one does.
    let hasCarriageReturns: Bool
}
