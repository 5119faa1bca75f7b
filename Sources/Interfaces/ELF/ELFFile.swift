/// The file of a shared library, read and checked without mapping it and without running any of its code.
///
/// Reading is bounded and safe for any content, also while the file changes. After a successful read, the
/// file is complete as far as `dlopen` relies on it: every part to be mapped is in the file, and every table
/// that the dynamic loader reads is in such a part (ELF and System V gABI). glibc checks neither, and a
/// violation ends the process.
public struct ELFFile: Sendable {
    /// The path as given.
    public let path: String
    /// Its machine, which is the machine of this host.
    public let machine: ELFMachine
    /// Its own name (`DT_SONAME`); nil if it has none.
    public let soname: String?
    /// The libraries that it needs (`DT_NEEDED`), in order.
    public let needed: [String]
    /// The folders that the loader searches first for those libraries (`DT_RUNPATH`, else `DT_RPATH`), in
    /// order and as written: `$ORIGIN` means the folder of this library.
    public let searchPath: [String]
    /// All notes, in order.
    public let notes: [ELFNote]
    /// True if it has Swift code, which must never be unloaded.
    public let containsSwift: Bool
    /// True if it asks for an executable stack, which glibc refuses since 2.41.
    public let hasExecutableStack: Bool
    /// The defined symbols that exist once per process, even if the process loads several versions of the
    /// library.
    public let uniqueSymbols: [String]

    /// True if it has its own functions that run when it is unmapped; those that every compiler adds do not
    /// count.
    public let hasDestructors: Bool
    /// The size of its mapping in bytes, without memory that it allocates.
    public let mappedSize: Int

    private let symbols: ELFSymbols
    let names: ELFLibraryNames

    /// Reads the file at a path.
    ///
    /// - Throws: `InterfaceError` if the file does not exist, cannot be read, is not a regular file, is
    ///   empty, or is not a complete, well-formed shared library for this machine.
    public init(path: String) throws(InterfaceError) {
        let file = try FileBytes(path: path)
        try self.init(file)
    }

    /// Reads through an open descriptor, so that a copy made through the same descriptor has the checked
    /// content. The caller keeps the descriptor, and its position does not change. Messages name `path`.
    ///
    /// - Throws: `InterfaceError` for the same faults as `init(path:)`.
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

    /// True if `dlsym` would find this symbol in the library itself.
    public func defines(_ symbol: String) -> Bool { symbols.contains(symbol) }

    /// The names of the symbols that it needs from other libraries, in the file's order.
    public var wantedSymbols: [String] { symbols.wanted }

    /// The names of all symbols that the library exports, in the file's order; for messages.
    public var definedSymbols: [String] { symbols.names }
}
