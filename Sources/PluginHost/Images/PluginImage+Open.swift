import CForeignCall
import Glibc
import HostLoop
public import Interfaces

extension PluginImage {
    /// Loads a library.
    ///
    /// The host copies a file into `staging`, and checks and maps the copy. Later changes of the file do not
    /// matter. A file that is opened twice gives two images, each with its own variables. Constructors run
    /// before the library gets its table of host functions. A library of the system is opened by name, never
    /// copied, and shared.
    ///
    /// - Parameters:
    ///   - sha256: the hash that the copy of a file must have, 64 hexadecimal digits. Ignored for a library
    ///     of the system.
    ///   - isGuarded: whether a crash in a call of the plugin becomes a fault of that call.
    /// - Throws: `PluginError` when the file has another hash, cannot be read or copied, is truncated or no
    ///   library for this machine (the codes of `Interfaces`), was built for another ABI, contradicts its
    ///   notes, or is refused by the loader.
    public static func open(
        _ location: LibraryLocation, sha256: String? = nil, isGuarded: Bool = false,
        staging: StagingDirectory, services: HostServices
    ) throws(PluginError) -> PluginImage {
        switch location {
        case .system(let name): return try system(name, isGuarded: isGuarded, services: services)
        case .file(let path):
            return try open(staging.stage(path, sha256: sha256), isGuarded: isGuarded, services: services)
        }
    }

    /// Loads a library of the system by its name; see `open`.
    package static func system(
        _ name: String, isGuarded: Bool = false, services: HostServices
    ) throws(PluginError) -> PluginImage {
        try opened(
            LoadedLibrary(name, library: name), staged: nil, description: nil, services: services,
            isGuarded: isGuarded)
    }

    /// Loads a copy that `StagingDirectory.stage` has made.
    ///
    /// - Parameters:
    ///   - old: another version. If its notes are the same, its description is used again.
    ///   - limit: how long constructors may take; nil for no limit.
    /// - Throws: as `open` does; also `DiagnosticCode.heldUp`.
    public static func open(
        _ staged: StagedLibrary, isGuarded: Bool = false,
        replacing old: PluginImage? = nil, services: HostServices, within limit: Duration? = nil
    ) throws(PluginError) -> PluginImage {
        let path = staged.original
        let file = if let file = staged.file { file } else { try FileDescriptor.library(staged.path, path) }
        let notes = PluginDescription.notes(of: file)
        let description: PluginDescription?
        do {
            if let old, !notes.isEmpty, old.notes == notes {
                description = old.description
            } else {
                description = try PluginDescription.read(from: file)
            }
        } catch { throw PluginError(error, library: path) }
        let load = { @Sendable () throws(PluginError) in
            try staged.loadLibraries()
            return try LoadedLibrary(staged.path, library: path)
        }
        let loaded = if let limit { try BoundedLoading.load(path, within: limit, load) } else { try load() }
        guard mapped.withLock({ $0.insert(loaded.base).inserted }) else {
            throw PluginError(
                .notLoaded,
                "`\(path)` was not loaded again: the dynamic loader took it for a library that it has",
                library: path)
        }
        return try opened(
            loaded, staged: staged, uniqueSymbols: file.uniqueSymbols,
            description: description, notes: notes, services: services, isGuarded: isGuarded,
            retirement: Retirement(of: file))
    }

    /// The addresses that staged libraries are mapped at.
    static let mapped = Lock<Set<UInt>>([])

    private static func opened(
        _ loaded: LoadedLibrary, staged: StagedLibrary?, uniqueSymbols: [String] = [],
        description: PluginDescription?, notes: [ELFNote] = [], services: HostServices, isGuarded: Bool,
        retirement: Retirement? = nil
    ) throws(PluginError) -> PluginImage {
        let table = if description != nil { try loaded.table(notes) } else { PluginTable?.none }
        let emitters =
            if let description, let table { try bindings(description, table, library: loaded.library) } else {
                [UInt: EmitterBinding]()
            }
        let image = PluginImage(
            library: loaded.library, staged: staged, uniqueSymbols: uniqueSymbols,
            description: description, notes: notes, services: services, code: .loaded(loaded),
            table: table, emitters: emitters,
            isGuarded: isGuarded, retirement: retirement)
        // A constructor may have replaced signal handlers.
        image.putHandlersInFront()
        if let description, let table { image.introduceHost(at: table, id: description.id) }
        return image
    }

    private func introduceHost(at table: PluginTable, id: String) {
        // Safe because the host's table lives as long as the process.
        let host = unsafe HostTable.make(generation: services.nextGeneration(of: id))
        unsafe HostRegistry.shared.register(self, host: host)
        retirement?.introduced(UInt(bitPattern: host))
        unsafe HostTable.publish(host, at: table.host)
    }
}
