import HostLoop
import Interfaces
import PluginHost
import Records

/// A plugin that a worker has loaded, with all that the host has asked for. May be used from any thread.
final class ServedPlugin: Sendable {
    let image: PluginImage
    let emissions: EmissionTable
    private let declarations: CDeclarations?
    private let config: RecordCoder?
    private let interface: InstanceInterface?
    private let instances = Lock<[UInt64: PluginInstance]>([:])
    private let started = Lock<Set<UInt64>>([])

    /// - Parameter declares: the declarations of the manifest; nil if it has none.
    init(_ image: PluginImage, declares: String?) throws(PluginError) {
        self.image = image
        emissions = EmissionTable(image.description)
        declarations = declares.map { CDeclarations(parsing: $0) }
        config = (image.description?.instance?.config?.type).map { RecordCoder($0, keepsPointers: true) }
        interface = image.description?.instance == nil ? nil : try InstanceInterface(of: image)
    }

    /// Prepares calls of a function.
    ///
    /// - Throws: as `PluginImage.effect` and `CallInterface` do.
    func prepare(_ request: FunctionRequest) throws(PluginError) -> ServedFunction {
        let declared =
            request.isEffect
            ? image.description?.effect(request.name)?.function : declarations?.function(request.name)
        guard let declared else {
            throw PluginError(
                .missingSymbol, "`\(image.library)` declares no `\(request.name)`", library: image.library)
        }
        let signature: CallSignature
        do { signature = try CallSignature(declared, arguments: request.arguments) } catch {
            throw PluginError(error.code, error.message, help: error.help, library: image.library)
        }
        let address = request.isEffect ? try image.effect(request.name) : try image.address(of: request.name)
        var release: FunctionAddress?
        if let name = request.release { release = try image.address(of: name) }
        return ServedFunction(try CallInterface(signature, of: address, release: release), of: self)
    }

    /// An instance that was made.
    func instance(_ number: UInt64) -> PluginInstance? { instances.withLock { $0[number] } }

    /// Calls a function of an instance's life.
    ///
    /// - Parameter state: called with the state that `save` returns.
    /// - Throws: as the functions of `PluginInstance` do.
    func take(
        _ step: InstanceStep, _ number: UInt64, _ reader: inout ByteReader, state: (SavedState) -> Void
    ) throws(PluginError) {
        if step == .create { return try create(number, &reader) }
        guard let instance = instance(number) else { throw .ended("it has no instance \(number)") }
        switch step {
        case .create: break
        case .start:
            image.openTables()
            try instance.start()
            _ = started.withLock { $0.insert(number).inserted }
        case .reconfigure: if let settings = try settings(&reader) { try instance.reconfigure(settings) }
        case .stop:
            guard started.withLock({ $0.remove(number) != nil }) else { return }
            if image.startedInstances == 1 {
                _ = Deadline(after: .seconds(5)).wait { done in image.closeTables { done(true) } }
            }
            instance.stop()
        case .destroy:
            waitForWork()
            instance.destroy()
            instances.withLock { $0[number] = nil }
        case .save:
            waitForWork()
            state(try instance.save())
        case .restore: try instance.restore(try Self.state(&reader))
        }
    }

    /// Closes a pointer that the plugin has opened.
    func close(_ address: UInt, by function: String) {
        do throws(PluginError) { try image.address(of: function).close(address) } catch {
            image.report(error.message)
        }
    }

    /// Waits for the plugin's work on threads of the worker, which may use the instance. The host limits the wait.
    private func waitForWork() {
        let idle = Bell()
        let rings = idle.rings
        image.whenIdle { idle.ring() }
        while idle.rings == rings { idle.wait(beyond: rings) }
    }

    private func create(_ number: UInt64, _ reader: inout ByteReader) throws(PluginError) {
        guard let interface else { throw .ended("the plugin has no instances") }
        let instance = PluginInstance(interface, config: try settings(&reader))
        try instance.create()
        instances.withLock { $0[number] = instance }
    }

    private func settings(_ reader: inout ByteReader) throws(PluginError) -> Record? {
        guard let config else { return nil }
        do { return try config.read(&reader) } catch { throw .ended("its settings are damaged: \(error)") }
    }

    private static func state(_ reader: inout ByteReader) throws(PluginError) -> SavedState {
        do throws(DamagedBytes) {
            // Safe because the bytes are copied.
            let bytes = unsafe try Array(reader.blob())
            do throws(SavedState.Damage) { return try SavedState(framed: bytes) } catch {
                throw DamagedBytes(error.description)
            }
        } catch { throw .ended("a state is damaged: \(error)") }
    }
}
