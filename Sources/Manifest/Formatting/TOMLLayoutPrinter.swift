/// Writes a layout with canonical white space. All widths are numbers of characters.
struct TOMLLayoutPrinter {
    // A longer key does not move the `=` of the lines around it.
    private static let widestKey = 40

    private var lines = AlignedLines()
    // The start of the current line.
    private var text: [UInt8] = []
    // How many arrays on several lines are open.
    private var depth = 0

    /// The text of a layout.
    static func print(_ layout: TOMLLayout) -> [UInt8] {
        var printer = TOMLLayoutPrinter()
        for section in layout.sections { printer.print(section) }
        return printer.lines.text(newline: layout.hasCarriageReturns ? "\r\n" : "\n")
    }

    private mutating func print(_ section: TOMLLayout.Section) {
        if let header = section.header {
            lines.endBlock()
            for comment in section.above { lines.append(.comment, comment[...]) }
            lines.append(.header, header.text[...], header.comment)
        }
        var items = section.items.drop { if case .blank = $0 { true } else { false } }
        // A comment between blank lines stays apart from the header.
        if case .comment = items.first, items.startIndex > 0 { lines.endBlock() }
        while let item = items.first {
            switch item {
            case .blank:
                lines.endBlock()
                items.removeFirst()
            case .comment(let text):
                lines.append(.comment, text)
                items.removeFirst()
            case .entry:
                let block = items.prefix { if case .entry = $0 { true } else { false } }
                items.removeFirst(block.count)
                print(block: block)
            }
        }
    }

    /// Writes consecutive lines with the `=` in the same column.
    private mutating func print(block: ArraySlice<TOMLLayout.Item>) {
        let widths = block.map { item in
            if case .entry(let key, _, _) = item { AlignedLines.width(of: key[...]) } else { 0 }
        }
        let widest = widths.filter { $0 <= Self.widestKey }.max() ?? 0
        for (item, width) in zip(block, widths) {
            guard case .entry(let key, let value, let comment) = item else { continue }
            text += key
            text += repeatElement(UInt8(ascii: " "), count: max(widest - width, 0))
            text += " = ".utf8
            print(value)
            endLine(.entry, comment)
        }
    }

    private mutating func endLine(_ kind: AlignedLines.Kind, _ comment: ArraySlice<UInt8>?) {
        lines.append(kind, text[...], comment)
        text = []
    }

    private mutating func print(_ value: TOMLLayout.Value) {
        switch value {
        case .plain(let bytes): text += bytes
        case .table(let entries) where entries.isEmpty: text += "{}".utf8
        case .table(let entries):
            for (index, entry) in entries.enumerated() {
                text += (index == 0 ? "{ " : ", ").utf8
                text += entry.key
                text += " = ".utf8
                print(entry.value)
            }
            text += " }".utf8
        case .array(let array) where array.hasLines: print(linesOf: array)
        case .array(let array):
            text += "[".utf8
            print(elements: array.lines.first?.values ?? [])
            text += "]".utf8
        }
    }

    private mutating func print(elements: [TOMLLayout.Value]) {
        for (index, element) in elements.enumerated() {
            if index > 0 { text += ", ".utf8 }
            print(element)
        }
    }

    private mutating func print(linesOf array: TOMLLayout.Elements) {
        text += "[".utf8
        endLine(.entry, array.opening)
        depth += 1
        for line in array.lines {
            guard !line.isBlank else {
                lines.endBlock()
                continue
            }
            indent()
            if line.values.isEmpty, let comment = line.comment {
                text += comment
                endLine(.comment, nil)
            } else {
                print(elements: line.values)
                text += ",".utf8
                endLine(.entry, line.comment)
            }
        }
        depth -= 1
        indent()
        text += "]".utf8
    }

    private mutating func indent() { text += repeatElement(UInt8(ascii: " "), count: 4 * depth) }
}
