import CPluginABI
import HostLoop

/// Receives the failure that a function of an instance's life reports through its call.
final class InstanceSink: CallSink {
    private let failed = Lock<(code: Int32, text: String)?>(nil)
    /// Set for `start` alone.
    let relay: InstanceRelay?

    init(starting relay: InstanceRelay? = nil) { self.relay = relay }

    var failure: (code: Int32, text: String)? { failed.withLock { $0 } }

    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 { SPIN_UNSUPPORTED }
    func rejected(emitter: String?, reason: String) {}
    func finished() {}
    func failed(code: Int32, text: String) { failed.withLock { $0 = (code, text) } }
}
