extension TOMLLayout {
    // The names of the root's tables.
    private static let order = ManifestTable.root.fields
        .filter { $0.form.kinds == [.table] || $0.form.elements == [.table] }.map(\.name)

    /// The same text, with comments in the section above that are between a key or header and the next header, and
    /// whose author seems to have commented out the last keys of that section.
    var withKeysThatAreCommentedOut: TOMLLayout {
        var sections = sections
        for index in sections.indices.dropFirst() where sections[index - 1].endsWithoutComment {
            let count = TOMLLayoutReader.countOfCode(in: sections[index].above)
            sections[index - 1].items += sections[index].above.prefix(count).map { .comment($0) }
            sections[index].above.removeFirst(count)
        }
        return TOMLLayout(sections: sections, hasCarriageReturns: hasCarriageReturns)
    }

    /// The same sections, with the tables of the root in order. Sections of the same table keep theirs.
    ///
    /// A section without a header stays where it is, and so does one of another table. No section moves across
    /// it. The comments at the start of the text stay there.
    var ordered: TOMLLayout {
        var sections = sections
        var result = Self.ordered(sections)
        if let first = sections.firstIndex(where: { $0.header != nil }),
            let header = result.first(where: { $0.header != nil })?.header,
            header.root != sections[first].header?.root, sections[..<first].allSatisfy(\.saysNothing)
        {
            // The section before it is the start of the text.
            sections[first - 1].items += sections[first].above.map { .comment($0) }
            sections[first].above = []
            result = Self.ordered(sections)
        }
        return TOMLLayout(sections: result, hasCarriageReturns: hasCarriageReturns)
    }

    private static func ordered(_ sections: [Section]) -> [Section] {
        var (result, part): ([Section], [(rank: Int, section: Section)]) = ([], [])
        func endPart() {
            for rank in order.indices { result += part.filter { $0.rank == rank }.map(\.section) }
            part = []
        }
        for section in sections {
            if let rank = section.header.flatMap({ order.firstIndex(of: $0.root) }) {
                part.append((rank, section))
            } else {
                endPart()
                result.append(section)
            }
        }
        endPart()
        return result
    }
}

extension TOMLLayout.Section {
    /// Whether a key or the header is directly above what follows.
    fileprivate var endsWithoutComment: Bool {
        if case .entry = items.last { true } else { items.isEmpty && header != nil }
    }

    /// Whether it has only directives and blank lines.
    fileprivate var saysNothing: Bool {
        items.allSatisfy { item in
            switch item {
            case .blank: true
            case .comment(let text): TOMLLayout.isDirective(text)
            case .entry: false
            }
        }
    }
}
