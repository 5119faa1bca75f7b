extension TOMLLayout {
    // The tables of the root.
    private static let order = ["app", "include", "types", "config", "plugins", "gears", "loops", "tests"]

    /// The same sections, with the tables of the root in order. Sections of the same table keep theirs.
    ///
    /// A section without a header stays where it is, and so does one of another table. No section moves across
    /// it.
    var ordered: TOMLLayout {
        var (result, part): ([Section], [(rank: Int, section: Section)]) = ([], [])
        func endPart() {
            for rank in Self.order.indices { result += part.filter { $0.rank == rank }.map(\.section) }
            part = []
        }
        for section in sections {
            if let rank = section.header.flatMap({ Self.order.firstIndex(of: $0.root) }) {
                part.append((rank, section))
            } else {
                endPart()
                result.append(section)
            }
        }
        endPart()
        return TOMLLayout(sections: result, hasCarriageReturns: hasCarriageReturns)
    }
}
