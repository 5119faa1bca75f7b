public import Diagnostics
public import Interfaces
public import Records

/// A manifest without faults, ready to run: what one TOML file says about an app.
public struct Manifest: Sendable {
    /// `app.name`.
    public let name: String
    /// The folder that the file is in; relative libraries are found from here.
    public let folder: String
    /// The file that all spans point into.
    public let file: SourceFile
    /// The constants, `--set` applied.
    public let config: Record
    /// What a fault does to the app.
    public let onFault: FaultPolicy
    /// True for an app that does not end when nothing can happen any more: `app.stay`.
    public let stays: Bool
    /// What is logged, and how.
    public let log: LogModel
    /// The mailbox of each loop that has none of its own.
    public let mailbox: MailboxModel
    /// The libraries, in declaration order.
    public let plugins: [PluginModel]
    /// How libraries are built, for those with `source`, in declaration order.
    public let builds: [PluginBuild]
    /// The gears between the loops, in declaration order.
    public let gears: [GearModel]
    /// The loops, in declaration order.
    public let loops: [LoopModel]
    /// The tests, in order.
    public let tests: [TestModel]
    /// What fields are for.
    public let docs: FieldDocs

    /// The greatest size of a file, in bytes.
    public static let maximumSize = 4 << 20

    /// What `load` answers.
    public struct Loaded: Sendable {
        /// The manifest; nil when one of the diagnostics is an error.
        public let manifest: Manifest?
        /// Errors and warnings in file order.
        public let diagnostics: [Diagnostic]
        /// The texts of the secrets in `config`, as they may turn up in output that must not show them.
        public let secrets: [String]
    }

    /// Reads and checks the file at `path`. Opens no library: of plugins' files it reads the notes and symbols.
    ///
    /// - Parameters:
    ///   - path: the file, as the user names it; messages call it so.
    ///   - standardPlugin: what `std:…` offers; asked for when the manifest names something of it.
    ///   - overrides: `NAME=VALUE` for constants of `config`, later ones win.
    /// - Returns: every fault of the file, not the first only (200 at most; after a fault of the TOML syntax that one).
    ///   Codes are listed in `ManifestCode`; those of expressions, C declarations and library files come from there.
    public static func load(
        path: String, standardPlugin: @escaping @autoclosure () -> PluginDescription, overrides: [String] = []
    ) -> Loaded {
        load(path: path, standardPlugin: standardPlugin(), overrides: overrides, readsLibraries: true)
    }

    /// Reads the file at `path` for what it declares itself, as long as its plugins are not built: no library is looked
    /// for. The manifest lacks reducers and feedbacks that need one, and must not be run; `builds` are all there.
    public static func loadDeclarations(
        path: String, standardPlugin: @escaping @autoclosure () -> PluginDescription
    ) -> Loaded {
        load(path: path, standardPlugin: standardPlugin(), overrides: [], readsLibraries: false)
    }

    private static func load(
        path: String, standardPlugin: @escaping @autoclosure () -> PluginDescription, overrides: [String],
        readsLibraries: Bool
    ) -> Loaded {
        let collector = DiagnosticCollector()
        var manifest: Manifest?
        var secrets: [String] = []
        do {
            let source = TOMLSource(file: try ManifestFile.read(path))
            let root = try source.parse()
            let decoder = ManifestDecoder(
                source: source, standardPlugin: standardPlugin(), readsLibraries: readsLibraries,
                collector: collector)
            manifest = decoder.decode(root, overrides: overrides)
            secrets = decoder.secrets
        } catch {
            collector.add(error)
        }
        return Loaded(
            manifest: collector.hasErrors ? nil : manifest,
            diagnostics: DiagnosticRenderer.sorted(collector.diagnostics), secrets: secrets)
    }
}
