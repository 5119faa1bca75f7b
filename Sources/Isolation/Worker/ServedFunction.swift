import HostLoop
import Interfaces
import PluginHost
import Records
import Synchronization

/// A function that the host has asked a worker to prepare. May be used from any thread.
final class ServedFunction: Sendable {
    let interface: CallInterface
    let coders: CallCoders
    let plugin: ServedPlugin
    let isEmitting: Bool
    /// Whether a call has lasted so long that its thread could not read meanwhile. Then later calls get threads of
    /// their own.
    let isSlow = Atomic<Bool>(false)
    private let spare = Lock<[PreparedCall]>([])

    init(_ interface: CallInterface, of plugin: ServedPlugin) {
        (self.interface, self.plugin) = (interface, plugin)
        coders = CallCoders(interface.signature)
        isEmitting = interface.signature.function.isEmitting
    }

    /// Memory for a call.
    func takeCall() -> PreparedCall { spare.withLock { $0.popLast() } ?? PreparedCall(interface) }

    /// Keeps the memory of a call that is over.
    func keep(_ call: PreparedCall) { spare.withLock { if $0.count < 16 { $0.append(call) } } }
}
