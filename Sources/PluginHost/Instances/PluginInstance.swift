import CPluginABI
import Diagnostics
import HostLoop
import Interfaces
public import Records
import Synchronization

/// One instance of a plugin: its data between calls, from `create` to `destroy`.
///
/// One thread at a time calls its functions, in order: `create`, perhaps `restore`, `start`, effects and
/// `reconfigure`, `stop`, perhaps `save`, `destroy`.
@safe
public final class PluginInstance: Sendable {
    /// The stages of an instance's life.
    private enum Stage { case none, created, started }

    private struct Settings {
        var present: Record?
        /// Settings of a `reconfigure` that did not return, to which the plugin may refer.
        var abandoned: Record?
    }

    /// The plugin.
    public var image: PluginImage { interface.image }
    private let interface: InstanceInterface
    /// The instance in another process; nil when the plugin is loaded in this one.
    public let remote: (any RemoteInstance)?
    private let settings: Lock<Settings>
    private let stage = Lock(Stage.none)
    /// Where calls read the instance's address from; NULL before `create` and after `destroy`.
    // Safe because it is written by `create` and `destroy` only, when no effect runs, and freed with this
    // object.
    nonisolated(unsafe) let cell: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// Passes on what the instance emits by itself.
    private let relay: InstanceRelay

    /// Prepares an instance; nothing of the plugin is called.
    ///
    /// - Parameter config: the values of its settings, a record of `ConfigDescription.type`; nil for a plugin
    ///   without.
    public init(_ interface: InstanceInterface, config: Record?) {
        let own = interface.image.description?.instance?.config
        precondition(config?.type == own?.type, "the settings are those of the plugin")
        (self.interface, remote) = (interface, interface.image.remote?.makeInstance())
        settings = Lock(Settings(present: config))
        relay = InstanceRelay(of: interface.image)
        unsafe cell = .allocate(capacity: 1)
        unsafe cell.initialize(to: nil)
    }

    // Safe because nothing reads it any more.
    deinit { unsafe cell.deallocate() }

    /// The values of its settings; nil for a plugin without settings.
    public var config: Record? { settings.withLock(\.present) }

    /// Whether it is started, and not stopped since.
    public var isStarted: Bool { stage.withLock { $0 == .started } }

    /// Whether it is made, and not freed since.
    public var isMade: Bool { stage.withLock { $0 != .none } }

    private var functions: InstanceInterface.Functions {
        guard let functions = interface.functions else {
            preconditionFailure("the plugin is in this process")
        }
        return functions
    }

    /// Makes the instance.
    ///
    /// - Throws: `DiagnosticCode.instanceFailed`; there is none then.
    public func create() throws(PluginError) {
        advance(from: .none, to: .created)
        do throws(PluginError) {
            if let remote { return try remote.create(config) }
            let values = unsafe Self.pointer(config)
            let (word, failure) = unsafe try functions.create.callWithToken([values], .pointer)
            if let failure {
                // It failed and made one all the same.
                if word != 0 { discard(word) }
                throw failure
            }
            guard let made = unsafe UnsafeMutableRawPointer(bitPattern: word) else {
                throw functions.create.failed("`create` answered NULL")
            }
            unsafe cell.pointee = made
            image.listening.add(relay, at: word)
        } catch {
            advance(from: .created, to: .none)
            throw remote == nil ? failed("created", error) : error
        }
    }

    /// Starts the instance; nothing for a plugin without `SPIN_LIFE`.
    ///
    /// - Throws: `DiagnosticCode.instanceFailed`; it is not started then.
    public func start() throws(PluginError) {
        advance(from: .created, to: .started)
        if let remote {
            do throws(PluginError) { try remote.start() } catch {
                advance(from: .started, to: .created)
                throw error
            }
            return
        }
        guard let start = functions.start else { return }
        do { unsafe try start.callForStatus([cell.pointee], starting: relay) } catch {
            relay.end()
            advance(from: .started, to: .created)
            throw failed("started", error)
        }
    }

    /// Has the started instance take over other settings.
    ///
    /// - Parameter config: a record of the type of the present settings.
    /// - Throws: `DiagnosticCode.settingsRefused` when the plugin has no `SPIN_RECONFIGURE` or refuses them, or
    ///   its function does not return, and when the instance is not started. The instance keeps its settings then.
    public func reconfigure(_ config: Record) throws(PluginError) {
        let before = self.config
        precondition(config.type == before?.type, "the settings are those of the plugin")
        func refused(_ reason: String, cause: DiagnosticCode? = nil) -> PluginError {
            PluginError(
                .settingsRefused,
                "`\(image.id)` does not take over its changed settings: \(reason)",
                library: image.library, cause: cause)
        }
        if let remote {
            try remote.reconfigure(config)
            return settings.withLock { $0.present = config }
        }
        guard let reconfigure = functions.reconfigure else { throw refused("it has no `SPIN_RECONFIGURE`") }
        guard isStarted else { throw refused("it is not started") }
        do throws(PluginError) {
            unsafe try reconfigure.callForStatus([cell.pointee, Self.pointer(before), Self.pointer(config)])
            settings.withLock { $0.present = config }
        } catch {
            if error.causeOfFailure != nil { settings.withLock { $0.abandoned = config } }
            throw refused(error.message, cause: error.causeOfFailure)
        }
        // The plugin may read them until its function has returned.
        withExtendedLifetime(before) {}
    }

    /// Where the plugin reads settings from.
    private static func pointer(_ config: Record?) -> UnsafeMutableRawPointer? {
        // Safe because the plugin only reads the settings, which this object keeps as long as it may.
        unsafe config.map { unsafe UnsafeMutableRawPointer(mutating: $0.unsafeBase) }
    }

    /// Stops the instance. Its errors go to the log.
    public func stop() {
        advance(from: .started, to: .created)
        if let remote {
            do { try remote.stop() } catch { image.log(error) }
            return
        }
        relay.end()
        do { unsafe try functions.stop?.call([cell.pointee], .nothing) } catch { image.log(error) }
    }

    /// Frees the instance. Its errors go to the log.
    public func destroy() {
        advance(from: .created, to: .none)
        if let remote {
            do { try remote.destroy() } catch { image.log(error) }
            return
        }
        guard let instance = unsafe cell.pointee else { return }
        unsafe cell.pointee = nil
        image.listening.remove(relay, at: UInt(bitPattern: instance))
        discard(UInt(bitPattern: instance))
    }

    /// Whether it saves a state for another version of its plugin.
    public var savesState: Bool { interface.schema != nil }

    /// Saves the instance's state.
    ///
    /// - Precondition: it is created, not started, and saves a state.
    /// - Throws: `DiagnosticCode.instanceFailed`.
    public func save() throws(PluginError) -> SavedState {
        precondition(stage.withLock { $0 == .created }, "an instance that is not started saves")
        if let remote { return try remote.save() }
        guard let save = functions.save else { preconditionFailure("an instance that saves a state saves") }
        let writing = SavingMemory(isGuarded: image.isGuarded)
        do {
            unsafe try save.callForStatus([cell.pointee, UnsafeMutableRawPointer(writing.pointer)])
        } catch { throw failed("saved", error) }
        return SavedState(
            plugin: image.id, version: image.description?.version ?? "",
            schema: interface.schema ?? 0, data: writing.bytes)
    }

    /// Gives the instance the saved state of another one, perhaps of another version.
    ///
    /// - Precondition: it is created, not started.
    /// - Throws: `DiagnosticCode.stateRefused` when the plugin restores no states, the state is another
    ///   plugin's, or the plugin refuses it. The instance can only be destroyed then.
    public func restore(_ state: SavedState) throws(PluginError) {
        precondition(stage.withLock { $0 == .created }, "an instance that is not started restores")
        if let remote { return try remote.restore(state) }
        let id = image.id
        func refused(_ reason: String, cause: DiagnosticCode? = nil) -> PluginError {
            PluginError(
                .stateRefused, "`\(id)` does not take over the state of version \(state.version): \(reason)",
                library: image.library, cause: cause)
        }
        guard let restore = functions.restore else { throw refused("it has no `SPIN_SWAP`") }
        guard state.plugin == id else { throw refused("it is that of `\(state.plugin)`") }
        do throws(PluginError) {
            unsafe try state.withForeign { saved throws(PluginError) in
                unsafe try restore.callForStatus([cell.pointee, UnsafeMutableRawPointer(mutating: saved)])
            }
        } catch { throw refused(error.message, cause: error.causeOfFailure) }
    }

    private func discard(_ instance: UInt) {
        // Safe because the plugin made the instance, and nothing uses it any more.
        let pointer = unsafe UnsafeMutableRawPointer(bitPattern: instance)
        do { unsafe try functions.destroy.call([pointer], .nothing) } catch { image.log(error) }
    }

    private func advance(from: Stage, to: Stage) {
        stage.withLock { stage in
            precondition(stage == from, "the functions of an instance are called in order")
            stage = to
        }
        if to == .started { image.started.add(1, ordering: .sequentiallyConsistent) }
        if from == .started { image.started.subtract(1, ordering: .sequentiallyConsistent) }
    }

    private func failed(_ what: String, _ error: PluginError) -> PluginError {
        PluginError(
            .instanceFailed, "`\(image.id)` could not be \(what): \(error.message)",
            library: image.library, cause: error.causeOfFailure)
    }
}

extension PluginError {
    /// `cause` of an error that this one of an instance's function leads to: nil when the function returned.
    fileprivate var causeOfFailure: DiagnosticCode? { code == .instanceFailed ? nil : code }
}
