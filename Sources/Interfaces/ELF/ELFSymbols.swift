/// The dynamic symbols that a library exports, and those that it needs from other libraries.
struct ELFSymbols: Sendable {
    static let entrySize = 24

    /// Offsets of their names in `strings`.
    private var defined: [Int] = []
    private var uniqueOffsets: [Int] = []
    private var undefined: [Int] = []
    private let strings: [UInt8]

    init(
        _ file: borrowing FileBytes, _ image: ELFImage, _ dynamic: ELFDynamic, _ sections: ELFSections
    ) throws(InterfaceError) {
        strings = dynamic.strings
        let count = try Self.count(file, image, dynamic, sections)
        let (size, overflow) = count.multipliedReportingOverflow(by: UInt64(Self.entrySize))
        guard !overflow else { throw file.malformed("its table of symbols exceeds the address space") }
        let table = try image.read("its table of symbols", at: dynamic.symbolTable, count: size, file)
        for start in stride(from: 0, to: table.count, by: Self.entrySize) {
            let name = Int(table.number(at: start, as: UInt32.self))
            let (information, visibility) = (table[start + 4], table[start + 5] & 3)
            let section: UInt16 = table.number(at: start + 6)
            if section == 0, name != 0, name < strings.count { undefined.append(name) }
            // Global, weak or unique; not a section or file; default or protected.
            let (binding, type) = (information >> 4, information & 15)
            guard section != 0, name != 0, binding == 1 || binding == 2 || binding == 10, type != 3,
                type != 4,
                visibility == 0 || visibility == 3
            else { continue }
            guard name < strings.count else {
                throw file.malformed("the name of a symbol is outside its table of names")
            }
            defined.append(name)
            if binding == 10 { uniqueOffsets.append(name) }
        }
    }

    var names: [String] { defined.map(name) }
    var unique: [String] { uniqueOffsets.map(name) }
    var wanted: [String] { undefined.map(name) }

    func contains(_ symbol: String) -> Bool {
        let wanted = Array(symbol.utf8) + [0]
        guard !symbol.isEmpty, !symbol.utf8.contains(0) else { return false }
        return defined.contains { offset in
            strings[offset] == wanted[0] && strings[offset...].starts(with: wanted)
        }
    }

    private func name(_ offset: Int) -> String {
        String(decoding: strings[offset...].prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The number of dynamic symbols. No header gives it, so it is found from the hash tables.
    private static func count(
        _ file: borrowing FileBytes, _ image: ELFImage, _ dynamic: ELFDynamic, _ sections: ELFSections
    ) throws(InterfaceError) -> UInt64 {
        if let hash = dynamic.hash {
            let header = try image.read("its hash table", at: hash, count: 8, file)
            return UInt64(header.number(at: 4, as: UInt32.self))
        }
        if let hash = dynamic.gnuHash { return try gnuCount(hash, file, image) }
        guard let count = sections.dynamicSymbolCount else {
            throw file.malformed("it has no hash table of symbols")
        }
        return count
    }

    /// One more than the greatest symbol of any chain. The symbols before the first hashed one are undefined.
    ///
    /// The table has: number of buckets, first hashed symbol, number of words of the filter, its shift; the
    /// filter; the buckets; then a hash for each symbol from the first one on. The lowest bit of a hash marks
    /// the end of a chain.
    private static func gnuCount(
        _ hash: UInt64, _ file: borrowing FileBytes, _ image: ELFImage
    ) throws(InterfaceError) -> UInt64 {
        let what = "its hash table"
        let header = try image.read(what, at: hash, count: 16, file)
        let buckets = UInt64(header.number(at: 0, as: UInt32.self))
        let first = UInt64(header.number(at: 4, as: UInt32.self))
        let filter = UInt64(header.number(at: 8, as: UInt32.self)) * 8
        guard let bucketTable = UInt64.end(of: hash, 16 + filter),
            let chains = UInt64.end(of: bucketTable, buckets * 4)
        else { throw file.malformed("\(what) exceeds the address space") }
        let table = try image.read(what, at: bucketTable, count: buckets * 4, file)
        var last: UInt64 = 0
        for start in stride(from: 0, to: table.count, by: 4) {
            last = max(last, UInt64(table.number(at: start, as: UInt32.self)))
        }
        guard last >= first, last > 0 else { return first }
        while true {
            let address = chains + (last - first) * 4
            let length = min(image.bytesLoaded(from: address) & ~3, 4096)
            guard length > 0 else { throw file.malformed("\(what) has no end") }
            let chain = try image.read(what, at: address, count: length, file)
            for start in stride(from: 0, to: chain.count, by: 4) {
                last += 1
                if chain[start] & 1 == 1 { return last }
            }
        }
    }
}
