import CPluginABI
import Diagnostics
import HostLoop
import Interfaces
public import Records

/// One instance of a plugin: what it keeps between calls, from `create` to `destroy`.
///
/// Its functions are called by one thread at a time, in order: `create`, `restore` perhaps, `start`, effects, `stop`,
/// `save` perhaps, `destroy`.
@safe
public final class PluginInstance: Sendable {
    /// Where an instance is in its life.
    private enum Stage { case none, created, started }

    /// The plugin.
    public var image: PluginImage { functions.image }
    private let functions: InstanceInterface
    private let config: Record?
    private let stage = Lock(Stage.none)
    /// Where calls read the instance's address from; NULL before `create` and after `destroy`.
    // Safe because it is written by `create` and `destroy` only, when no effect runs, and freed with this object.
    nonisolated(unsafe) let cell: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    /// Prepares an instance; nothing of the plugin is called.
    ///
    /// - Parameter config: the values of its settings, a record of `ConfigDescription.type`; nil for a plugin without.
    public init(_ interface: InstanceInterface, config: Record?) {
        let own = interface.image.description?.instance?.config
        precondition(config?.type == own?.type, "the settings are those of the plugin")
        (functions, self.config) = (interface, config)
        unsafe cell = .allocate(capacity: 1)
        unsafe cell.initialize(to: nil)
    }

    // Safe because nothing reads it any more.
    deinit { unsafe cell.deallocate() }

    /// Whether it is started, and not stopped since.
    public var isStarted: Bool { stage.withLock { $0 == .started } }

    /// Whether it is made, and not freed since.
    public var isMade: Bool { stage.withLock { $0 != .none } }

    /// Makes the instance.
    ///
    /// - Throws: `DiagnosticCode.instanceFailed`; there is none then.
    public func create() throws(PluginError) {
        advance(from: .none, to: .created)
        do throws(LifeCall.Failure) {
            // Safe because the plugin only reads the settings, which live as long as this object.
            let values = unsafe config.map { unsafe UnsafeMutableRawPointer(mutating: $0.unsafeBase) }
            let word: UInt
            do throws(LifeCall.Failure) {
                word = unsafe try LifeCall.call(functions.create, "create", of: image, [values], .pointer)
            } catch {
                // It failed and made one all the same.
                if error.word != 0 { discard(error.word) }
                throw error
            }
            guard let made = unsafe UnsafeMutableRawPointer(bitPattern: word) else {
                throw LifeCall.Failure(reason: "`create` answered NULL")
            }
            unsafe cell.pointee = made
        } catch {
            advance(from: .created, to: .none)
            throw failed("created", error)
        }
    }

    /// Starts the instance; nothing for a plugin without `SPIN_LIFE`.
    ///
    /// - Throws: `DiagnosticCode.instanceFailed`; it is not started then.
    public func start() throws(PluginError) {
        advance(from: .created, to: .started)
        guard let start = unsafe functions.start else { return }
        do { unsafe try LifeCall.callForStatus(start, "start", of: image, [cell.pointee]) } catch {
            advance(from: .started, to: .created)
            throw failed("started", error)
        }
    }

    /// Stops the instance. What it throws goes to the log.
    public func stop() {
        advance(from: .started, to: .created)
        guard let stop = unsafe functions.stop else { return }
        do { _ = unsafe try LifeCall.call(stop, "stop", for: image, [cell.pointee], .nothing) } catch {
            log(error)
        }
    }

    /// Frees the instance. What it throws goes to the log.
    public func destroy() {
        advance(from: .created, to: .none)
        guard let instance = unsafe cell.pointee else { return }
        unsafe cell.pointee = nil
        discard(UInt(bitPattern: instance))
    }

    /// Whether it hands a state over to another version of its plugin.
    public var savesState: Bool { unsafe functions.save != nil }

    /// What the instance hands over.
    ///
    /// - Precondition: it is created, not started, and saves a state.
    /// - Throws: `DiagnosticCode.instanceFailed`.
    public func save() throws(PluginError) -> SavedState {
        guard let save = unsafe functions.save, stage.withLock({ $0 == .created }) else {
            preconditionFailure("an instance that is not started saves")
        }
        let writing = SavingMemory(isGuarded: image.isGuarded)
        do {
            unsafe try LifeCall.callForStatus(
                save, "save", of: image, [cell.pointee, UnsafeMutableRawPointer(writing.pointer)])
        } catch { throw failed("saved", error) }
        return SavedState(
            plugin: image.description?.id ?? "", version: image.description?.version ?? "",
            schema: functions.schema, data: writing.bytes)
    }

    /// Gives the instance what another one, perhaps of another version, has saved.
    ///
    /// - Precondition: it is created, not started.
    /// - Throws: `DiagnosticCode.stateRefused` when the plugin takes over nothing, the state is another plugin's, or it refuses it.
    ///   The instance is good for nothing but `destroy` then.
    public func restore(_ state: SavedState) throws(PluginError) {
        precondition(stage.withLock { $0 == .created }, "an instance that is not started restores")
        let id = image.description?.id ?? ""
        func refused(_ reason: String, cause: DiagnosticCode? = nil) -> PluginError {
            PluginError(
                .stateRefused, "`\(id)` does not take over the state of version \(state.version): \(reason)",
                library: image.library, cause: cause)
        }
        guard let restore = unsafe functions.restore else { throw refused("it has no `SPIN_SWAP`") }
        guard state.plugin == id else { throw refused("it is that of `\(state.plugin)`") }
        do throws(LifeCall.Failure) {
            unsafe try state.withForeign { saved throws(LifeCall.Failure) in
                unsafe try LifeCall.callForStatus(
                    restore, "restore", of: image, [cell.pointee, UnsafeMutableRawPointer(mutating: saved)])
            }
        } catch { throw refused(error.reason, cause: error.code) }
    }

    private func discard(_ instance: UInt) {
        // Safe because the plugin made the instance, and nothing uses it any more.
        let pointer = unsafe UnsafeMutableRawPointer(bitPattern: instance)
        do {
            _ = unsafe try LifeCall.call(functions.destroy, "destroy", for: image, [pointer], .nothing)
        } catch {
            log(error)
        }
    }

    /// Writes that a function did not return; that the plugin is in quarantine has been written.
    private func log(_ failure: LifeCall.Failure) {
        switch failure.code {
        case .callCrashed?, .quarantined?: break
        default: image.logFault(failure.reason)
        }
    }

    private func advance(from: Stage, to: Stage) {
        stage.withLock { stage in
            precondition(stage == from, "the functions of an instance are called in order")
            stage = to
        }
    }

    private func failed(_ what: String, _ failure: LifeCall.Failure) -> PluginError {
        PluginError(
            .instanceFailed, "`\(image.description?.id ?? "")` could not be \(what): \(failure.reason)",
            library: image.library, cause: failure.code)
    }
}
