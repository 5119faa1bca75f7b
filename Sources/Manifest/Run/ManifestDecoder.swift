import Diagnostics
import Expressions
import Interfaces
import Records

/// Turns the tree of a manifest into the checked model. Faults go to the collector, and decoding continues.
final class ManifestDecoder {
    private let files: [TOMLSource]
    /// The description of `std`, read on first use.
    private(set) lazy var standardPlugin = readStandardPlugin()
    private let readStandardPlugin: () -> PluginDescription
    /// False to decode only what the manifest itself declares. Then no library is read, and no fault of one
    /// reported.
    let readsLibraries: Bool
    private(set) var collector: DiagnosticCollector
    let folder: String
    /// The plugins in declaration order.
    private(set) var plugins: [Plugin] = []
    /// The index of each plugin in `plugins`.
    private(set) var pluginIndices: [String: Int] = [:]
    /// How to build plugins, in declaration order.
    var builds: [PluginBuild] = []
    /// The files of the libraries, in declaration order.
    var libraries: [String] = []
    /// The gears in declaration order.
    var gears: [GearModel] = []
    /// The index of each gear in `gears`, and of each message in its gear.
    var gearIndices: [String: (gear: Int, messages: [String: Int])] = [:]
    /// The gears of loops with a key, by the names of the loops: their places in `gears`.
    var loopGears: [String: Int] = [:]
    /// The names of all loops.
    var loopNames: Set<String> = []
    /// Gears, and messages as `GEAR.MESSAGE`, whose declaration has a fault. Their uses cause no further
    /// reports.
    var faultyGears: Set<String> = []
    /// The messages that some `receive` names, with or without a fault.
    var namedInReceive: Set<MessageReference> = []
    /// The messages that some `send` names, with or without a fault.
    var namedInSend: Set<MessageReference> = []
    /// Parts of expressions, such as `.level`, that use a faulty constant or field. An expression that
    /// contains one causes no further report.
    var faultyUses: Set<String> = []
    /// Where the entries of `let` with a fault are. Each fault is reported once, though many scopes have the entry.
    var faultyLets: Set<SourceSpan> = []
    /// Their names, which are unknown in expressions. That causes no further report.
    var faultyNames: Set<String> = []
    /// The numbers of the names in `let` that expressions of the present loop use.
    var usedBindings: Set<Int> = []
    /// The number of errors in the loops decoded so far.
    private(set) var faultsOfLoops = 0
    /// The effect calls decoded so far.
    var calls: [EffectCall.Key: EffectCall] = [:]
    /// For tests: the effects of feedbacks, by loop and feedback.
    var effectScopes: [String: [String: EffectScope]] = [:]
    /// Feedbacks with a fault, or with a faulty plugin, by loop. Tests that name them cause no further
    /// report.
    var faultyFeedbacks: [String: Set<String>] = [:]
    /// The texts that output must not show.
    var secrets: [String] = []
    /// The constants with secret values.
    var secretConstants: Set<String> = []
    /// True while a table may name the source of a secret value.
    var readsSecrets = false
    /// The libraries that may be loaded; nil: any may.
    private(set) var allowed: AllowedLibraries?
    /// What happens to rules that the kernel cannot keep.
    private(set) var enforcement = SandboxModel.Enforcement.strict
    /// The first plugin of each process that plugins share, by the word of `share`.
    var sharers: [String: Sharer] = [:]
    /// Whether `dev` runs the manifest: it builds and swaps libraries, so it neither pins nor locks them.
    let isDevelopment: Bool
    /// The journal, decoded before the loops.
    private(set) var journal = Journal.absent
    /// The types of `[types]`.
    private(set) lazy var namedTypes = NamedTypes(self)
    /// The constants.
    var config = Record(RecordType([]))
    /// For editors: what the names of each expression mean.
    let scopes: ScopeRecorder?

    /// - Parameter files: the files that nodes point into, in their order.
    init(
        files: [TOMLSource], standardPlugin: @escaping @autoclosure () -> PluginDescription,
        readsLibraries: Bool, isDevelopment: Bool = false,
        collector: DiagnosticCollector, scopes: ScopeRecorder? = nil
    ) {
        self.scopes = scopes
        (self.files, readStandardPlugin, self.collector) = (files, standardPlugin, collector)
        (self.readsLibraries, self.isDevelopment) = (readsLibraries, isDevelopment)
        folder = ManifestFile.folder(of: files[0].file.name)
    }

    /// The manifest, which is valid only if the collector has no errors afterwards.
    func decode(_ node: TOMLNode, overrides: [String], _ journalOverride: JournalOverride) -> Manifest {
        let beginning = SourcePosition(line: 1, column: 1)
        let root = TableReader(
            node, .root, path: "",
            keySpan: SourceSpan(file: files[0].file, start: beginning, end: beginning), parent: nil,
            collector: collector)
        let app = root.table("app", .app)
        let name = app.flatMap(decodeName) ?? ManifestFile.name(ofFolder: folder)
        // The manifest's folder is the last that is searched, always.
        let path = (app?.strings("plugin-path")?.map(\.text) ?? []) + ["."]
        allowed = app.flatMap(decodeAllowedLibraries)
        enforcement = app?.word("sandbox", as: SandboxModel.Enforcement.self) ?? .strict
        let onFault = app?.word("on-fault", as: FaultPolicy.self) ?? .proceed
        if let table = root.table("types", .types) { decodeTypes(table) }
        if let table = root.table("config", .config) {
            readsSecrets = true
            config = decodeConstants(table)
            readsSecrets = false
        }
        if root.isRefused("config") { faultyUses.insert("config.") } else { apply(overrides) }
        journal = root.isRefused("app") ? .faulty : decodeJournal(app, journalOverride)
        if let table = root.table("plugins", .plugins) {
            for entry in table.named {
                if NameRule.check(entry, "a plugin", collector), entry.key == Self.standardName {
                    collector.error(
                        .invalidName, "a plugin cannot be called `std`, the name of the built-in plugin",
                        at: entry.keySpan, help: ["choose another name"])
                }
                add(decodePlugin(table.reader(of: entry, .plugin), entry, pluginPath: path))
            }
            for name in table.refused { add(Plugin(name: name)) }
        }
        if let table = root.table("gears", .gears) { decodeGears(table) }
        if root.isRefused("gears") { faultyGears.insert(Self.anyGear) }
        var loops: [LoopModel] = []
        if node.entries.isEmpty {
            collector.add(ManifestFile.empty(files[0].file.name))
        } else {
            root.missing("loops", help: "a manifest describes loops: `[loops.NAME]`")
        }
        var faultyLoops: Set<String> = []
        if let table = root.table("loops", .loops) {
            faultyLoops = table.refused
            addGears(ofLoops: table)
            for entry in table.named {
                _ = NameRule.check(entry, "a loop", collector)
                let (outer, errors) = (faultyUses, collector.errorCount)
                let reader = table.reader(of: CaseTables.writtenOut(entry, collector), .loop)
                loops.append(LoopDecoder(self, reader, name: entry.key).decode())
                faultsOfLoops += collector.errorCount - errors
                (faultyUses, faultyNames) = (outer, [])
                if collector.errorCount > errors { faultyLoops.insert(entry.key) }
            }
        }
        checkUseOfMessages()
        let names = LoopNames(loops)
        let tests = root.tables("tests", .test).compactMap {
            TestDecoder(self, $0, names).decode(faulty: faultyLoops)
        }
        return Manifest(
            name: name, folder: folder, config: config,
            secretConstants: secretConstants.sorted(), allowedLibraries: allowed,
            isLocked: app.map(decodeLock) ?? false, onFault: onFault,
            stays: app?.boolean("stay") ?? false, log: app.map(decodeLog) ?? .standard,
            timesRuns: app?.table("metrics", .metrics)?.boolean("timing") ?? false,
            journal: journal.model,
            mailbox: app.flatMap { decodeMailbox($0, .appMailbox) } ?? .standard,
            plugins: plugins.compactMap(\.model), builds: builds,
            gears: gears, loops: loops, tests: tests, docs: FieldDocs(node))
    }

    /// The text of a string of the manifest.
    func text(of node: TOMLNode) -> SourceText { files[node.span.file.order].text(of: node) }

    /// The name of the built-in plugin, which needs no entry in `plugins`.
    static let standardName = "std"

    /// The result of `body` with the faults that it found. The faults are not reported, and hide no others.
    func trying<Result>(_ body: () -> Result) -> (result: Result, faults: [Diagnostic]) {
        let own = DiagnosticCollector()
        let outer = (collector, faultyUses, faultyLets, faultyNames)
        collector = own
        defer { (collector, faultyUses, faultyLets, faultyNames) = outer }
        return (body(), own.diagnostics)
    }

    private func add(_ plugin: Plugin) {
        pluginIndices[plugin.name] = plugins.count
        plugins.append(plugin)
    }

    private func decodeName(_ app: TableReader) -> String? {
        guard let node = app.value("name"), let name = node.string else { return nil }
        let isWord: (Character) -> Bool = { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard let first = name.first, isWord(first), name.allSatisfy({ isWord($0) || "-_.".contains($0) }),
            name.utf8.count <= 64
        else {
            collector.error(
                .invalidName, "`\(name)` cannot be the name of an app", at: node.span,
                help: ["a name is up to 64 letters, digits, `-`, `_` and `.`, a letter or digit first"])
            return nil
        }
        return name
    }
}
