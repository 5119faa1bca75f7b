import CPluginABI

/// The functions of `spin_arena_service`.
// Safe because the functions look up or check every argument before they use it.
enum ArenaService {
    static func allocate(_ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?, _ size: Int)
        -> UnsafeMutableRawPointer?
    {
        unsafe HostRegistry.shared.allocate(size, for: CallToken(call))
    }
}
