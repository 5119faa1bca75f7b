import Diagnostics
import Expressions
import Interfaces
import Records

/// Turns the tree of a manifest into the checked model; what is wrong goes to the collector, and decoding goes on.
final class ManifestDecoder {
    let source: TOMLSource
    /// What the plugin `std` offers; read when it is needed first.
    private(set) lazy var standardPlugin = readStandardPlugin()
    private let readStandardPlugin: () -> PluginDescription
    /// False when only what the manifest itself declares is wanted: plugins are not looked at then, and nothing is
    /// said about what they would have to have.
    let readsLibraries: Bool
    private(set) var collector: DiagnosticCollector
    let folder: String
    /// The plugins in declaration order.
    private(set) var plugins: [Plugin] = []
    /// Where in `plugins` each is.
    private(set) var pluginIndices: [String: Int] = [:]
    /// How plugins are built, in declaration order.
    var builds: [PluginBuild] = []
    /// The gears in declaration order.
    var gears: [GearModel] = []
    /// Where each gear is in `gears`, and each of its messages in the gear.
    var gearIndices: [String: (gear: Int, messages: [String: Int])] = [:]
    /// Gears, and messages as `GEAR.MESSAGE`, that are declared with a fault: nothing more is said about them.
    var faultyGears: Set<String> = []
    /// The messages that some `receive` names, at fault or not.
    var namedInReceive: Set<MessageReference> = []
    /// The messages that some `send` names, at fault or not.
    var namedInSend: Set<MessageReference> = []
    /// What expressions contain that use constants or fields of the state which are declared with a fault: nothing is
    /// said about those expressions.
    var faultyUses: Set<String> = []
    /// How many errors are those of loops that were decoded so far.
    private(set) var faultsOfLoops = 0
    /// The calls of effects so far.
    var calls: [EffectCall.Key: EffectCall] = [:]
    /// What tests need of the feedbacks that call an effect, by loop and feedback.
    var effectScopes: [String: [String: EffectScope]] = [:]
    /// Feedbacks that are declared and at fault, or whose plugin is, by loop: nothing more is said about them.
    var faultyFeedbacks: [String: Set<String>] = [:]
    /// The texts that no output must show.
    var secrets: [String] = []
    /// The constants whose values are secret.
    var secretConstants: Set<String> = []
    /// True while tables may say where a value is to be read from.
    var readsSecrets = false
    /// The constants.
    var config = Record(RecordType([]))

    init(
        source: TOMLSource, standardPlugin: @escaping @autoclosure () -> PluginDescription,
        readsLibraries: Bool,
        collector: DiagnosticCollector
    ) {
        (self.source, readStandardPlugin, self.collector) = (source, standardPlugin, collector)
        self.readsLibraries = readsLibraries
        folder = ManifestFile.folder(of: source.file.name)
    }

    /// The manifest; it counts only if the collector has no errors afterwards.
    func decode(_ node: TOMLNode, overrides: [String]) -> Manifest {
        let beginning = SourcePosition(line: 1, column: 1)
        let root = TableReader(
            node, .root, path: "",
            keySpan: SourceSpan(file: source.file, start: beginning, end: beginning), parent: nil,
            collector: collector)
        let app = root.table("app", .app)
        let name = app.flatMap(decodeName) ?? ManifestFile.name(ofFolder: folder)
        // A file beside the manifest is found wherever else is looked first.
        let path = (app?.strings("plugin-path")?.map(\.text) ?? []) + ["."]
        let onFault = app?.word("on-fault", as: FaultPolicy.self) ?? .proceed
        if let table = root.table("config", .config) {
            readsSecrets = true
            config = decodeConstants(table)
            readsSecrets = false
        }
        if root.isRefused("config") { faultyUses.insert("config.") } else { apply(overrides) }
        if let table = root.table("plugins", .plugins) {
            for entry in table.named {
                if NameRule.check(entry, "a plugin", collector), entry.key == Self.standardName {
                    collector.error(
                        .invalidName, "`std` is the plugin that spinhost brings along", at: entry.keySpan,
                        help: ["choose another name"])
                }
                add(decodePlugin(table.reader(of: entry, .plugin), entry, pluginPath: path))
            }
            for name in table.refused { add(Plugin(name: name)) }
        }
        if let table = root.table("gears", .gears) { decodeGears(table) }
        if root.isRefused("gears") { faultyGears.insert(Self.anyGear) }
        var loops: [LoopModel] = []
        if node.entries.isEmpty {
            collector.add(ManifestFile.empty(source.file.name))
        } else {
            root.missing("loops", help: "a manifest describes loops: `[loops.NAME]`")
        }
        var faultyLoops: Set<String> = []
        if let table = root.table("loops", .loops) {
            faultyLoops = table.refused
            for entry in table.named {
                _ = NameRule.check(entry, "a loop", collector)
                let (outer, errors) = (faultyUses, collector.errorCount)
                loops.append(LoopDecoder(self, table.reader(of: entry, .loop), name: entry.key).decode())
                faultsOfLoops += collector.errorCount - errors
                faultyUses = outer
                if collector.errorCount > errors { faultyLoops.insert(entry.key) }
            }
        }
        checkUseOfMessages()
        let names = LoopNames(loops)
        let tests = root.tables("tests", .test).compactMap {
            TestDecoder(self, $0, names).decode(faulty: faultyLoops)
        }
        return Manifest(
            name: name, folder: folder, file: source.file, config: config, onFault: onFault,
            stays: app?.boolean("stay") ?? false, log: app.map(decodeLog) ?? .standard,
            mailbox: app.flatMap { decodeMailbox($0, .appMailbox) } ?? .standard,
            plugins: plugins.compactMap(\.model), builds: builds,
            gears: gears, loops: loops, tests: tests, docs: FieldDocs(node))
    }

    /// The plugin that needs no entry in `plugins`.
    static let standardName = "std"

    /// What `body` gives, and what it finds wrong, which is not reported.
    func trying<Result>(_ body: () -> Result) -> (result: Result, faults: [Diagnostic]) {
        let own = DiagnosticCollector()
        let outer = collector
        collector = own
        defer { collector = outer }
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
