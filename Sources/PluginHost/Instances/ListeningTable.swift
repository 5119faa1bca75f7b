import CPluginABI
import HostLoop
import Interfaces

/// The instances of one version of a plugin by their addresses, for calls that listen to them.
final class ListeningTable: Sendable {
    // A plugin may give several instances one address.
    private let relays = Lock<[UInt: [InstanceRelay]]>([:])

    func add(_ relay: InstanceRelay, at instance: UInt) {
        relays.withLock { $0[instance, default: []].append(relay) }
    }

    func remove(_ relay: InstanceRelay, at instance: UInt) {
        relays.withLock { relays in
            relays[instance]?.removeAll { $0 === relay }
            if relays[instance]?.isEmpty == true { relays[instance] = nil }
        }
    }

    /// The effect `PLUGIN:*`: a function of the host that is called as one of the plugin. It lasts as long as
    /// the instance emits.
    // Safe because the function lives as long as the process, and is only called through its address.
    nonisolated(unsafe) static let function = unsafe unsafeBitCast(listen, to: UnsafeRawPointer.self)

    private static let listen: @convention(c) (OpaquePointer?, UnsafeRawPointer?) -> Void = {
        call, instance in
        GuardedCall.left { unsafe ListeningTable.listen(call, UInt(bitPattern: instance)) }
    }

    private static func listen(_ call: OpaquePointer?, _ instance: UInt) {
        // Safe because the token is looked up before it is used.
        let token = unsafe CallToken(call)
        guard case .success(let found) = unsafe HostRegistry.shared.find(call) else { return }
        let id = found.image.id
        let relays = found.image.listening.relays.withLock { $0[instance] ?? [] }
        let fault =
            if let relay = relays.first, relays.count == 1 {
                relay.listen(token) ? nil : "another feedback listens to this instance of `\(id)`"
            } else { "`\(id)` has several instances at one address, so nothing can listen to one of them" }
        if let fault { found.image.services.fail(token, code: SPIN_FAILED, text: fault) }
    }
}
