/// The dynamic section, from which the dynamic loader starts.
struct ELFDynamic {
    private(set) var needed: [String] = []
    private(set) var soname: String?
    private(set) var searchPath: [String] = []
    /// The string table with the names of symbols and libraries.
    let strings: [UInt8]
    /// Where `strings` lies in the file.
    let stringsOffset: UInt64
    /// Where the names of libraries lie in `strings`, and everything else that the dynamic section names.
    private(set) var nameOffsets: [UInt64] = []
    let symbolTable: UInt64
    let hash: UInt64?
    let gnuHash: UInt64?
    /// The number of functions in its list of destructors.
    let destructors: UInt64

    private enum Tag {
        static let needed: UInt64 = 1
        static let hash: UInt64 = 4
        static let strings: UInt64 = 5
        static let symbols: UInt64 = 6
        static let stringsSize: UInt64 = 10
        static let soname: UInt64 = 14
        static let rpath: UInt64 = 15
        static let runpath: UInt64 = 29
        static let gnuHash: UInt64 = 0x6FFF_FEF5
        static let destructorsSize: UInt64 = 28
        static let flags1: UInt64 = 0x6FFF_FFFB
        /// The tables that the loader reads: address and size in bytes.
        static let tables: [(name: String, address: UInt64, size: UInt64)] = [
            ("its relocations", 7, 8), ("its relocations", 17, 18), ("its relocations", 23, 2),
            ("its relocations", 36, 35), ("its list of constructors", 25, 27),
            ("its list of destructors", 26, 28),
        ]
    }

    /// `DF_1_PIE`: a position-independent program, not a library.
    private static let isProgram: UInt64 = 0x0800_0000

    init(_ file: borrowing FileBytes, _ image: ELFImage) throws(InterfaceError) {
        let bytes = try image.read(
            "its dynamic section", at: image.dynamic.address, count: image.dynamic.size, file)
        var values: [UInt64: UInt64] = [:]
        var neededOffsets: [UInt64] = []
        var isClosed = false
        for start in stride(from: 0, to: bytes.count - 15, by: 16) {
            let (tag, value): (UInt64, UInt64) = (bytes.number(at: start), bytes.number(at: start + 8))
            if tag == 0 {
                isClosed = true
                break
            }
            if tag == Tag.needed { neededOffsets.append(value) }
            values[tag] = value
        }
        guard isClosed else { throw file.malformed("its dynamic section has no end") }
        if values[Tag.flags1, default: 0] & Self.isProgram != 0 {
            throw InterfaceError(
                .fileNotLibrary, "`\(file.path)` is a program, expected a shared library",
                help: ["link it with `-shared`, and compile its sources with `-fPIC`"])
        }
        guard let address = values[Tag.strings], let size = values[Tag.stringsSize],
            let symbols = values[Tag.symbols]
        else { throw file.malformed("its dynamic section lacks symbols") }
        strings = try image.read("its table of names", at: address, count: size, file)
        stringsOffset = image.offset(of: address, count: size) ?? 0
        guard strings.last == 0 else { throw file.malformed("its table of names has no end") }
        symbolTable = symbols
        (hash, gnuHash) = (values[Tag.hash], values[Tag.gnuHash])
        destructors = values[Tag.destructorsSize, default: 0] / 8
        for table in Tag.tables {
            guard let address = values[table.address], let size = values[table.size], size > 0 else {
                continue
            }
            guard image.offset(of: address, count: size) != nil else {
                throw file.malformed("\(table.name) is outside the loaded segments")
            }
        }
        for offset in neededOffsets { needed.append(try name(at: offset, file)) }
        if let offset = values[Tag.soname] { soname = try name(at: offset, file) }
        // If both are present, the loader ignores the older one, `DT_RPATH`.
        if let offset = values[Tag.runpath] ?? values[Tag.rpath] {
            searchPath = try name(at: offset, file).split(separator: ":").map(String.init)
        }
        let others = [Tag.soname, Tag.rpath, Tag.runpath].compactMap { values[$0] }
        nameOffsets = neededOffsets + others
    }

    private func name(at offset: UInt64, _ file: borrowing FileBytes) throws(InterfaceError) -> String {
        guard offset < UInt64(strings.count), let text = strings.text(at: Int(offset)) else {
            throw file.malformed("the name of a library or folder is outside its table of names")
        }
        return String(decoding: text, as: UTF8.self)
    }
}
