import CPluginABI

/// The functions of `spin_instance_service`.
// Safe because the token is looked up before it is used, and a token is no address.
enum InstanceService {
    static func call(_ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?) -> OpaquePointer? {
        guard case .success(let found) = unsafe HostRegistry.shared.find(call),
            let relay = (found.sink as? InstanceSink)?.relay, let own = relay.ownCall()
        else { return nil }
        return unsafe OpaquePointer(bitPattern: own.bits)
    }
}
