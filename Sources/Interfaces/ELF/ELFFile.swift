/// A shared library's file, read and checked without mapping it and without running any of its code.
///
/// Reading it is bounded and safe for any content, also for a file that changes meanwhile. When it
/// succeeds, the file is whole as far as `dlopen` relies on it: every part that would be mapped lies in the
/// file, and every table that the dynamic loader follows lies in such a part (ELF and System V gABI; glibc
/// trusts both and dies otherwise).
public struct ELFFile: Sendable {
    /// The path as it was given.
    public let path: String
    /// The machine it is for: that of this host.
    public let machine: ELFMachine
    /// Its own name (`DT_SONAME`), if it has one.
    public let soname: String?
    /// The libraries it needs (`DT_NEEDED`), in order.
    public let needed: [String]
    /// The folders in which the libraries it needs are looked up first (`DT_RUNPATH`, else `DT_RPATH`), in
    /// order, as they are written: `$ORIGIN` in them stands for the folder of the library.
    public let searchPath: [String]
    /// All notes, in order.
    public let notes: [ELFNote]
    /// True when it has Swift code, which must never be unloaded.
    public let containsSwift: Bool
    /// True when it asks for a stack that can be executed, which glibc refuses since 2.41.
    public let hasExecutableStack: Bool
    /// Defined symbols of which the process has only one, however many versions of the library it loads.
    public let uniqueSymbols: [String]

    /// True when it has functions of its own that run when it is unmapped; what every compiler adds does not count.
    public let hasDestructors: Bool
    /// How many bytes of memory it takes when it is mapped, without what it allocates.
    public let mappedSize: Int

    private let symbols: ELFSymbols
    let names: ELFLibraryNames

    /// Reads the file at a path.
    ///
    /// - Throws: `InterfaceError` when there is no such file, when it is a directory, unreadable, no regular file, empty,
    ///   not ELF, of another class, byte order or machine, no shared library, truncated or malformed.
    public init(path: String) throws(InterfaceError) {
        let file = try FileBytes(path: path)
        try self.init(file)
    }

    /// Reads through an open descriptor, so that what was checked is what will be copied. The descriptor
    /// stays the caller's, its position is not used; `path` is for messages.
    ///
    /// - Throws: as `init(path:)`.
    public init(descriptor: Int32, path: String) throws(InterfaceError) {
        let file = try FileBytes(descriptor: descriptor, path: path)
        try self.init(file)
    }

    private init(_ file: borrowing FileBytes) throws(InterfaceError) {
        let header = try ELFHeader(file)
        let image = try ELFImage(file, header)
        let sections = try ELFSections(file, header)
        let dynamic = try ELFDynamic(file, image)
        path = file.path
        machine = header.machine
        soname = dynamic.soname
        needed = dynamic.needed
        searchPath = dynamic.searchPath
        names = ELFLibraryNames(dynamic)
        notes = try image.notes(file)
        symbols = try ELFSymbols(file, image, dynamic, sections)
        uniqueSymbols = symbols.unique
        containsSwift =
            sections.names.contains { $0.hasPrefix("swift5_") || $0.hasPrefix(".swift5_") }
            || needed.contains { $0.hasPrefix("libswift") }
        hasExecutableStack = image.hasExecutableStack
        hasDestructors = dynamic.destructors > 1
        mappedSize = Int(image.mappedSize)
    }

    /// True when `dlsym` would find this symbol in the library itself.
    public func defines(_ symbol: String) -> Bool { symbols.contains(symbol) }

    /// The names of the symbols that it wants of other libraries, in the file's order.
    public var wantedSymbols: [String] { symbols.wanted }

    /// The names of all symbols that the library defines for others, in the file's order; for messages.
    public var definedSymbols: [String] { symbols.names }
}
