/// The names of a file's sections, and the number of its dynamic symbols. A stripped file may have no
/// sections.
struct ELFSections {
    private(set) var names: [String] = []
    /// The number of dynamic symbols; nil if no section gives it.
    private(set) var dynamicSymbolCount: UInt64?

    private static let greatestNames: UInt64 = 1 << 24
    private static let dynamicSymbols: UInt32 = 11

    init(_ file: borrowing FileBytes, _ header: ELFHeader) throws(InterfaceError) {
        guard header.sectionTable != 0 else { return }
        // The first section holds the count if there are more than 65,279. The names of so many are not
        // needed.
        let table = try file.read(
            "its table of sections", at: header.sectionTable,
            count: max(1, header.sectionCount) * ELFHeader.sectionSize)
        guard header.sectionCount > 0 else { return }
        func start(_ index: Int) -> Int { index * ELFHeader.sectionSize }
        for index in 0..<header.sectionCount
        where table.number(at: start(index) + 4, as: UInt32.self) == Self.dynamicSymbols {
            dynamicSymbolCount =
                table.number(at: start(index) + 32, as: UInt64.self) / UInt64(ELFSymbols.entrySize)
        }
        guard header.sectionNames < header.sectionCount else { return }
        let size: UInt64 = table.number(at: start(header.sectionNames) + 32)
        guard size <= Self.greatestNames else { throw file.malformed("its section names have \(size) bytes") }
        let bytes = try file.read(
            "its section names", at: table.number(at: start(header.sectionNames) + 24), count: Int(size))
        names = (0..<header.sectionCount).compactMap { index in
            // All names that matter here are shorter than 64 bytes.
            let offset = Int(table.number(at: start(index), as: UInt32.self))
            guard offset < bytes.count else { return nil }
            let name = bytes[offset...].prefix(64).prefix { $0 != 0 }
            return String(decoding: name, as: UTF8.self)
        }
    }
}
