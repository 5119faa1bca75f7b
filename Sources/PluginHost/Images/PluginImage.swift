import CForeignCall
import CPluginABI
import Diagnostics
import Glibc
import HostLoop
public import Interfaces
import Synchronization

/// A library that is loaded into this process.
///
/// A library normally stays mapped until the process ends, even without this object, as threads, destructors
/// and the Swift runtime may refer to its code. A retired library is unmapped with the last reference to this
/// object if nothing else can point into it (`UnmappingHindrance`). Every caller of its code keeps this
/// object alive. May be used from any thread.
public final class PluginImage: Sendable {
    /// The file's path, the name that the dynamic loader found it by, or the id of a plugin that is linked
    /// into the process.
    public let library: String
    /// The private copy that is mapped; nil for a library of the system and for a linked plugin.
    public var stagedPath: String? { staged?.path }
    /// Identifies the version: a hash over the contents of the file and its private libraries, 16 hexadecimal
    /// digits. Nil for a library of the system and for a linked plugin.
    public var hash: String? { staged?.hash }
    private let staged: StagedLibrary?
    /// Variables that exist once in the process, in the first library that defines them: all versions share
    /// them. Empty for a library of the system and for a linked plugin.
    public let uniqueSymbols: [String]
    /// The plugin's own declarations; nil for a plain C library.
    public let description: PluginDescription?
    /// The notes that `description` was read from; empty for a linked plugin.
    let notes: [ELFNote]

    /// The plugin's id; the library if it has no id.
    public let id: String

    /// Whether a crash in a call of the plugin becomes a fault of that call (`isolation = "guarded"`).
    public let isGuarded: Bool

    package let services: HostServices
    /// What runs of it on threads of the host, outside of any loop.
    let work: PluginWork
    let poller: PluginPoller
    let listening = ListeningTable()
    let code: Code
    /// Nil for a plain C library.
    let table: PluginTable?
    let quarantine = Quarantine()
    /// The place of its probation, for those that must not keep the image.
    public let judging = ProbationPlace()
    let conduct: PluginConduct
    let started = Atomic<Int>(0)
    let callees = Lock<[Callee.Role: Callee]>([:])
    private let emitters: [UInt: EmitterBinding]
    /// Nil for a library that was not loaded from a copy.
    let retirement: Retirement?

    /// How the image finds its functions.
    enum Code: Sendable {
        case loaded(LoadedLibrary)
        /// A plugin that is linked into the process.
        case linked
        /// A library that another process has loaded.
        case remote(any RemotePlugin)
    }

    init(
        library: String, staged: StagedLibrary?, uniqueSymbols: [String] = [],
        description: PluginDescription?, notes: [ELFNote] = [], services: HostServices, code: Code,
        table: PluginTable?, emitters: [UInt: EmitterBinding], isGuarded: Bool = false,
        retirement: Retirement? = nil
    ) {
        self.retirement = retirement
        (self.library, self.staged) = (library, staged)
        self.uniqueSymbols = uniqueSymbols
        (self.description, self.notes, id) = (description, notes, description?.id ?? library)
        (self.services, self.code, self.table, self.emitters) = (services, code, table, emitters)
        self.isGuarded = isGuarded
        work = PluginWork(of: id)
        poller = PluginPoller(of: id)
        let version = description?.version ?? ""
        conduct = PluginConduct(late: services.late) { [id, log = services.log] text, call in
            log(
                PluginLogLine(
                    plugin: id, version: version, call: call, level: SPIN_LOG_WARNING, text: text,
                    matter: .brokenRule))
        }
    }

    deinit {
        if !services.tables.forget(ObjectIdentifier(self)).isEmpty {
            conduct.broke(.useLeft, effect: nil, call: nil)
        }
        if case .remote(let remote) = code { return remote.end() }
        guard let retirement, case .loaded(let loaded) = code, let staged else { return }
        retirement.end(
            loaded, copy: staged, callees: callees.withLock { Array($0.values) }, quarantine: quarantine,
            services.images)
    }

    /// The function that the library exports under `symbol`.
    ///
    /// - Throws: `DiagnosticCode.missingSymbol`, with a similar name if there is one; `notCallable` for a
    ///   variable.
    public func address(of symbol: String) throws(PluginError) -> FunctionAddress {
        // Its process looks it up.
        if case .remote = code { return elsewhere(symbol) }
        guard case .loaded(let loaded) = code else { return try effect(symbol) }
        // Safe because the address is only inspected here, and the result keeps the image alive.
        guard let pointer = unsafe loaded.symbol(symbol) else {
            throw missing("function", symbol, candidates: loaded.exportedNames())
        }
        guard unsafe foreign_symbol_kind(pointer) != FOREIGN_SYMBOL_VARIABLE else {
            throw PluginError(
                .notCallable, "`\(symbol)` of `\(library)` is a variable, not a function", library: library,
                symbol: symbol)
        }
        return unsafe FunctionAddress(name: symbol, image: self, pointer: pointer)
    }

    /// The function of an effect that the plugin declares with `SPIN_EFFECT`.
    ///
    /// - Throws: `DiagnosticCode.missingSymbol` when the plugin declares no such effect.
    public func effect(_ name: String) throws(PluginError) -> FunctionAddress {
        if case .remote = code {
            let isListening = name == EffectDescription.listening.name && description?.instance != nil
            guard isListening || description?.effect(name) != nil else {
                throw missing("effect", name, candidates: (description?.effects.map(\.name) ?? []).sorted())
            }
            return elsewhere(name)
        }
        if name == EffectDescription.listening.name, description?.instance != nil {
            return unsafe FunctionAddress(name: name, image: self, pointer: ListeningTable.function)
        }
        // Safe because the table's functions live as long as the image.
        guard let pointer = unsafe table?.effects[name] else {
            throw missing("effect", name, candidates: unsafe table?.effects.keys.sorted() ?? [])
        }
        return unsafe FunctionAddress(name: name, image: self, pointer: pointer)
    }

    /// A function in another process, which nothing calls by its address.
    private func elsewhere(_ name: String) -> FunctionAddress {
        unsafe FunctionAddress(name: name, image: self, pointer: ListeningTable.function)
    }

    /// The emitter whose constant lies at `address`; nil when this plugin has none there.
    func emitter(at address: UInt) -> EmitterBinding? { emitters[address] }

    func missing(
        _ kind: String, _ name: String, candidates: some Sequence<String>
    ) -> PluginError {
        let closest = Suggestion.closest(to: name, among: candidates)
        return PluginError(
            .missingSymbol, "`\(library)` has no \(kind) `\(name)`",
            help: closest.map { ["did you mean `\($0)`?"] } ?? [], library: library, symbol: name)
    }
}

// Calls on behalf of an image.
extension PluginImage {
    /// The linked plugin that is being called on this thread; nil if none is.
    static var calling: PluginImage? {
        // Safe because the caller of `enter` keeps the image alive until `leave`.
        unsafe foreign_owner_current().map {
            unsafe Unmanaged<PluginImage>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Whether the plugin is linked into the process.
    var isLinked: Bool { if case .linked = code { true } else { false } }

    /// Makes this the plugin that is being called on this thread. The caller must keep it alive until
    /// `leave`.
    func enter() -> UnsafeMutableRawPointer? {
        // Safe because the caller keeps the object while the thread refers to it.
        unsafe foreign_owner_exchange(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Undoes `enter`, which returned `before`.
    func leave(_ before: UnsafeMutableRawPointer?) {
        // Safe because the caller that entered `before` still keeps that image alive.
        _ = unsafe foreign_owner_exchange(before)
    }

    /// Describes a thrown exception, from the text that `foreign_call` stored.
    static func describe(thrown message: UnsafeMutableBufferPointer<CChar>) -> String {
        // Safe because the text is NUL-terminated.
        let text = unsafe String(cString: message.baseAddress!)
        return text.isEmpty ? "a C++ exception" : "a C++ exception: `\(text)`"
    }

    /// Logs a line of the plugin, or a line of the host about it.
    func log(
        _ text: String, _ fields: LogFields = LogFields(), level: Int32, call: CallToken?,
        matter: PluginLogLine.Matter = .ofPlugin
    ) {
        services.log(
            PluginLogLine(
                plugin: id, version: description?.version ?? "", call: call,
                level: level, text: text, fields: fields, matter: matter))
    }

    /// Whether the host does not call the plugin any more, as one of its calls has crashed.
    public var isQuarantined: Bool { quarantine.hasBegun }

    /// The crash in words: `` effect `read` crashed with SIGSEGV at address 0x0 ``; nil while there was none.
    public var quarantineReason: String? { quarantine.hasBegun ? quarantine.reason : nil }

    /// The probation of a new version; nil when it is not on probation. Functions that are prepared
    /// afterwards count for it.
    public var probation: Probation? {
        get { judging.probation }
        set { judging.probation = newValue }
    }

    /// Fails the probation of the version, if it is on probation.
    public func failProbation(_ reason: String) { judging.fail(reason) }

    /// How many instances of it are started.
    public var startedInstances: Int { started.load(ordering: .sequentiallyConsistent) }

    /// Logs a fault of the plugin that no caller waits for.
    public func report(_ text: String) { logFault(text) }

    /// Logs a fault of the plugin.
    func logFault(_ text: String, call: CallToken? = nil) {
        log(text, level: SPIN_LOG_ERROR, call: call, matter: .fault)
    }
}
