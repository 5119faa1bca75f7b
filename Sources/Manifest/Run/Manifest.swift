public import Diagnostics
public import Interfaces
public import Records

/// A checked manifest, ready to run: the description of an app in one TOML file.
public struct Manifest: Sendable {
    /// `app.name`.
    public let name: String
    /// The folder of the file; relative library paths start here.
    public let folder: String
    /// The constants, after `--set`.
    public let config: Record
    /// The names of the constants with secret values, in order.
    public let secretConstants: [String]
    /// The libraries that may be loaded: `app.plugins`; nil: any may.
    public let allowedLibraries: AllowedLibraries?
    /// Whether no library is loaded after the start: `app.lock`.
    public let isLocked: Bool
    /// The app's reaction to an unhandled fault.
    public let onFault: FaultPolicy
    /// True for an app that keeps running when nothing can happen any more: `app.stay`.
    public let stays: Bool
    /// Which lines are logged, and in which format.
    public let log: LogModel
    /// Whether the runs of feedbacks are counted and timed from the start of the app: `app.metrics`.
    public let timesRuns: Bool
    /// The file that keeps the run; nil for an app without a journal.
    public let journal: JournalModel?
    /// The mailbox of each loop that declares none.
    public let mailbox: MailboxModel
    /// The plugins, in declaration order.
    public let plugins: [PluginModel]
    /// How to build the libraries of plugins with `source`, in declaration order.
    public let builds: [PluginBuild]
    /// The gears between the loops, in declaration order.
    public let gears: [GearModel]
    /// The loops, in declaration order.
    public let loops: [LoopModel]
    /// The tests, in order.
    public let tests: [TestModel]
    /// The documentation of fields.
    public let docs: FieldDocs

    /// The greatest size of a file, in bytes.
    public static let maximumSize = 4 << 20

    /// The result of `load`.
    public struct Loaded: Sendable {
        /// The manifest; nil when one of the diagnostics is an error.
        public let manifest: Manifest?
        /// The manifest even when there are errors, if it could be read so far. Only its name, its folder and its journal hold
        /// then, so the caller must not run it.
        public let outline: Manifest?
        /// Errors and warnings in the order of files and positions.
        public let diagnostics: [Diagnostic]
        /// The secret values as texts. The caller must remove them from any output that could contain them.
        public let secrets: [String]
        /// The absolute paths of the plugins' libraries, which need not exist. A bare name that no folder has is a path in
        /// the manifest's folder.
        public let libraries: [String]
        /// The paths of the files that it was read from: the file itself, and those that it includes, also files that
        /// could not be read.
        public let files: [String]
        /// By path, the real path of a file outside of the manifest's folder, where `..` or a link leads.
        public let outside: [String: String]
        /// The paths of the folders in which a further file could be one that it includes.
        public let folders: [String]
    }

    /// The files and folders of a manifest.
    public struct Places: Sendable {
        /// `Loaded.files`.
        public let files: [String]
        /// `Loaded.outside`.
        public let outside: [String: String]
        /// `Loaded.folders`.
        public let folders: [String]
        /// By path, the fault of a file that cannot be read or parsed. A file that is included has its place in
        /// `include`, if the fault has no place in the file.
        public let faults: [String: Diagnostic]
    }

    /// Reads and checks the file at `path`. It loads no library: it reads only the notes and symbols of
    /// plugins' files.
    ///
    /// - Parameters:
    ///   - path: the file, as the user names it; messages use the same path.
    ///   - standardPlugin: the description of `std`, computed when the manifest first uses it.
    ///   - overrides: `NAME=VALUE` for constants of `config`; a later one wins.
    ///   - journal: what the command line says of the journal. The manifest is checked as if it said so.
    ///   - isDevelopment: whether the libraries are being worked on. Then their hashes are not checked, and the app is not
    ///     locked; a warning says so.
    /// - Returns: the manifest and up to 200 diagnostics. If a file cannot be read or is not TOML, they are only of such
    ///   files.
    ///   The codes are those of `ManifestCode`, and those of expressions, C declarations and library files.
    public static func load(
        path: String, standardPlugin: @escaping @autoclosure () -> PluginDescription,
        overrides: [String] = [], journal: JournalOverride = JournalOverride(),
        isDevelopment: Bool = false
    ) -> Loaded {
        load(
            path: path, standardPlugin: standardPlugin(), overrides: overrides, journal,
            readsLibraries: true, isDevelopment: isDevelopment)
    }

    /// Reads the file at `path` without its libraries, which need not be built yet. The result has all
    /// `builds`, but lacks the reducers and feedbacks of plugins, so the caller must not run it.
    public static func loadDeclarations(
        path: String, standardPlugin: @escaping @autoclosure () -> PluginDescription
    ) -> Loaded {
        load(
            path: path, standardPlugin: standardPlugin(), overrides: [], JournalOverride(),
            readsLibraries: false)
    }

    private static func load(
        path: String, standardPlugin: @escaping @autoclosure () -> PluginDescription, overrides: [String],
        _ journal: JournalOverride, readsLibraries: Bool, isDevelopment: Bool = false
    ) -> Loaded {
        check(
            path: path, standardPlugin: standardPlugin(), overrides: overrides, journal,
            readsLibraries: readsLibraries, isDevelopment: isDevelopment, DiagnosticCollector()
        ).loaded
    }

    /// Reads and checks a manifest.
    ///
    /// - Parameters:
    ///   - buffers: by real path, texts in place of files.
    ///   - scopes: gets what the names of each expression mean.
    static func check(
        path: String, standardPlugin: @escaping @autoclosure () -> PluginDescription, overrides: [String],
        _ journal: JournalOverride, readsLibraries: Bool, isDevelopment: Bool,
        _ collector: DiagnosticCollector, buffers: [String: String] = [:], scopes: ScopeRecorder? = nil
    ) -> (loaded: Loaded, sources: ManifestSources) {
        var manifest: Manifest?
        var (secrets, libraries): ([String], [String]) = ([], [])
        let sources = ManifestSources(of: path, collector: collector, buffers: buffers)
        do {
            let root = try sources.read()
            // Without a file that cannot be read, the others seem to use names that nothing declares.
            let isWhole = !collector.hasErrors
            let decoder = ManifestDecoder(
                files: sources.files, standardPlugin: standardPlugin(), readsLibraries: readsLibraries,
                isDevelopment: isDevelopment, collector: isWhole ? collector : DiagnosticCollector(),
                scopes: scopes)
            manifest = decoder.decode(root, overrides: overrides, journal)
            (secrets, libraries) = (decoder.secrets, decoder.libraries)
        } catch {
            collector.add(error)
        }
        let loaded = Loaded(
            manifest: collector.hasErrors ? nil : manifest, outline: manifest,
            diagnostics: DiagnosticRenderer.sorted(collector.diagnostics), secrets: secrets,
            libraries: libraries, files: sources.paths, outside: sources.outside, folders: sources.folders)
        return (loaded, sources)
    }

    /// The files and folders of the manifest at `path`. It checks nothing.
    ///
    /// - Parameter buffers: by real path, texts in place of files.
    public static func places(of path: String, buffers: [String: String] = [:]) -> Places {
        let sources = ManifestSources(of: path, collector: DiagnosticCollector(), buffers: buffers)
        // The files before the fault are known all the same.
        _ = try? sources.read()
        return Places(
            files: sources.paths, outside: sources.outside, folders: sources.folders, faults: sources.faults)
    }
}
