import CForeignCall
import Glibc
import Interfaces

/// A library that the dynamic loader has mapped. Only `unmap` unmaps it.
// Safe because the loader's functions may be called from any thread, and only `unmap` closes the handle,
// once.
@safe
struct LoadedLibrary: @unchecked Sendable {
    /// The library as it was located.
    let library: String
    private let handle: UnsafeMutableRawPointer

    /// Maps the library that the loader finds by `name`, a path or a bare name. Its constructors run.
    ///
    /// - Throws: `DiagnosticCode.notLoaded` with the reason.
    init(_ name: String, library: String) throws(PluginError) {
        // Safe because the loader keeps no pointer to the name.
        guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            throw LoaderFault(Self.lastError(), staged: name, library: library).error
        }
        self.library = library
        unsafe self.handle = handle
    }

    /// The address of the symbol `name` in this library or in one that it needs; nil if there is none.
    func symbol(_ name: String) -> UnsafeRawPointer? { unsafe UnsafeRawPointer(dlsym(handle, name)) }

    /// Unmaps the library. Nothing may use it afterwards.
    ///
    /// - Parameter path: the path that it was opened by.
    /// - Returns: whether it is gone; false if the loader still has it.
    func unmap(path: String) -> Bool {
        // Safe because the caller promises that nothing uses the library any more.
        unsafe dlclose(handle)
        // Safe because the loader keeps no pointer to the name.
        guard let left = unsafe dlopen(path, RTLD_LAZY | RTLD_NOLOAD) else { return true }
        unsafe dlclose(left)
        return false
    }

    /// The address that the library is mapped at, which identifies it.
    var base: UInt { unsafe UInt(bitPattern: foreign_image_base(handle)) }

    /// The table of a plugin.
    ///
    /// - Throws: `contradictoryPlugin` when the library exports none, or one that is malformed or differs from
    ///   the notes; `abiMismatch` for a table of another version.
    func table(_ notes: [ELFNote]) throws(PluginError) -> PluginTable {
        // Safe because the library stays mapped, and the symbol of a library that it needs is not its own.
        guard let entry = unsafe symbol("spin_entry"), unsafe foreign_image_contains(handle, entry) else {
            throw .contradiction(library, "it does not export `spin_entry`")
        }
        let table = unsafe try PluginTable(entry, in: ImageMemory(ofLibrary: handle), library: library)
        let read = notes.compactMap { PluginNote($0) }
        if let difference = PluginStatement.difference(notes: read, table: table) {
            throw .contradiction(library, difference)
        }
        return table
    }

    /// The names of all symbols that the library exports, for suggestions; empty if its file cannot be read.
    func exportedNames() -> [String] {
        guard let path = unsafe foreign_image_path(handle).map({ unsafe String(cString: $0) }),
            let file = try? ELFFile(path: path)
        else { return [] }
        return file.definedSymbols
    }

    /// The loader's message about the call that just failed on this thread.
    private static func lastError() -> String {
        unsafe dlerror().map { unsafe String(cString: $0) } ?? "unknown reason"
    }
}
