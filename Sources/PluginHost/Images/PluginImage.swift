import CForeignCall
import CPluginABI
import Diagnostics
import Glibc
import HostLoop
public import Interfaces

/// A library that is loaded into this process.
///
/// Once loaded, a library stays mapped until the process ends, also when this object is gone: threads,
/// destructors and the Swift runtime may refer to its code. One that was retired, and can have left nothing of that kind
/// behind, is unmapped when nothing refers to this object any more: whatever may call or run its code holds it. May be used
/// from any thread.
public final class PluginImage: Sendable {
    /// The library as it was located: the file's path, or the name that the dynamic loader found it by; the
    /// id of a plugin that is linked into the process.
    public let library: String
    /// The private copy that is mapped; nil for a library of the system and for a linked plugin.
    public var stagedPath: String? { staged?.path }
    /// Tells versions of a library apart: a hash over the file's content and that of its private libraries, 16
    /// hexadecimal digits; nil for a library of the system and for a linked plugin.
    public var hash: String? { staged?.hash }
    /// The files that it was made of, absolute paths: the library's, then its private libraries'; empty for a library
    /// of the system and for a linked plugin.
    public var files: [String] { staged?.files ?? [] }
    private let staged: StagedLibrary?
    /// Variables that the process has once, for whichever library comes first with their names: all versions share them. Empty
    /// for a library of the system and for a linked plugin.
    public let uniqueSymbols: [String]
    /// What the plugin says about itself; nil for a plain C library.
    public let description: PluginDescription?
    /// What that was read from; empty for a linked plugin.
    let notes: [ELFNote]

    /// True when a crash in a call of it is a fault of that call (`isolation = "guarded"`).
    public let isGuarded: Bool

    let services: HostServices
    /// What runs of it on threads of the host, outside of any loop.
    let work: PluginWork
    let code: Code
    let quarantine = Quarantine()
    private let judging = Lock<Probation?>(nil)
    let conduct: PluginConduct
    let callees = Lock<[Callee.Role: Callee]>([:])
    private let emitters: [UInt: EmitterBinding]
    /// Nil for what is not loaded from a copy.
    let retirement: Retirement?

    /// Where functions are found.
    enum Code: Sendable {
        case loaded(LoadedLibrary)
        /// Linked into the process: its effects by name.
        case linked([String: LinkedEffect])
    }

    init(
        library: String, staged: StagedLibrary?, uniqueSymbols: [String] = [],
        description: PluginDescription?, notes: [ELFNote] = [], services: HostServices, code: Code,
        emitters: [UInt: EmitterBinding], isGuarded: Bool = false, retirement: Retirement? = nil
    ) {
        self.retirement = retirement
        (self.library, self.staged) = (library, staged)
        self.uniqueSymbols = uniqueSymbols
        (self.description, self.notes) = (description, notes)
        (self.services, self.code, self.emitters) = (services, code, emitters)
        self.isGuarded = isGuarded
        let (plugin, version) = (description?.id ?? library, description?.version ?? "")
        work = PluginWork(of: plugin)
        conduct = PluginConduct(late: services.late) { [log = services.log] text, call in
            log(
                PluginLogLine(
                    plugin: plugin, version: version, call: call, level: SPIN_LOG_WARNING, text: text,
                    matter: .brokenRule))
        }
    }

    deinit {
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
        guard case .loaded(let loaded) = code else { return try effect(symbol) }
        // Safe because the address is only asked about, and kept with the image.
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
    /// - Throws: `DiagnosticCode.missingSymbol` when it declares none of that name; `contradictoryPlugin`
    ///   when the declared effect is not exported as the header says.
    public func effect(_ name: String) throws(PluginError) -> FunctionAddress {
        // Safe because a declared constant is of the ABI's type and lives as long as the image.
        let pointer: UnsafeRawPointer
        switch code {
        case .linked(let effects):
            guard let effect = effects[name] else { throw missing("effect", name, candidates: effects.keys) }
            unsafe pointer = effect.function
        case .loaded(let loaded):
            let declared = description?.effects.map(\.name) ?? []
            guard declared.contains(name) else { throw missing("effect", name, candidates: declared) }
            let constant: UnsafePointer<spin_effect> = unsafe try loaded.constant("spin_effect_\(name)")
            guard let function = unsafe constant.pointee.function else {
                throw .contradiction(library, "its effect `\(name)` has no function")
            }
            unsafe pointer = unsafeBitCast(function, to: UnsafeRawPointer.self)
        }
        return unsafe FunctionAddress(name: name, image: self, pointer: pointer)
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
    /// The plugin that is linked into the process and calls on this thread right now, if one does.
    static var calling: PluginImage? {
        // Safe because whoever entered keeps the image until it leaves.
        unsafe foreign_owner_current().map {
            unsafe Unmanaged<PluginImage>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// True for a plugin that is linked into the process.
    var isLinked: Bool { if case .linked = code { true } else { false } }

    /// Makes this the plugin that calls on this thread; the caller keeps it until `leave`.
    func enter() -> UnsafeMutableRawPointer? {
        // Safe because the caller keeps the object while the thread refers to it.
        unsafe foreign_owner_exchange(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Undoes `enter`, which returned `before`.
    func leave(_ before: UnsafeMutableRawPointer?) {
        // Safe because of the same, for who entered before.
        _ = unsafe foreign_owner_exchange(before)
    }

    /// What was thrown, in words, from the text that `foreign_call` stored.
    static func describe(thrown message: UnsafeMutableBufferPointer<CChar>) -> String {
        // Safe because the text is NUL-terminated.
        let text = unsafe String(cString: message.baseAddress!)
        return text.isEmpty ? "a C++ exception" : "a C++ exception: `\(text)`"
    }

    /// Writes a line that the plugin logs, or that the host writes about it.
    func log(_ text: String, level: Int32, call: CallToken?, matter: PluginLogLine.Matter = .ofPlugin) {
        services.log(
            PluginLogLine(
                plugin: description?.id ?? library, version: description?.version ?? "", call: call,
                level: level, text: text, matter: matter))
    }

    /// Whether it is not called any more, since one of its calls has crashed.
    public var isQuarantined: Bool { quarantine.hasBegun }

    /// What judges it while it is new; nil when nothing does. Functions that are prepared from then on count for it.
    public var probation: Probation? {
        get { judging.withLock { $0 } }
        set { judging.exchange(newValue) }
    }

    /// A call did what none may, in words.
    public func speakAgainst(_ reason: String) { probation?.fail(reason) }

    /// Writes what became of the plugin, for which nobody waits.
    public func report(_ text: String) { logFault(text) }

    /// Writes what the plugin did wrong.
    func logFault(_ text: String, call: CallToken? = nil) {
        log(text, level: SPIN_LOG_ERROR, call: call, matter: .fault)
    }
}
