import CForeignCall
import CPluginABI

/// The functions of `spin_run_service`.
// Safe because the functions look up or check every argument before they use it. The plugin promises that a
// pointer that is not NULL has the room that it says; that of a guarded plugin is probed.
enum RunService {
    static func key(
        _ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?, _ to: UnsafeMutablePointer<CChar>?,
        _ capacity: Int
    ) -> Int32 {
        let found: CallTable.Call
        switch unsafe HostRegistry.shared.find(call) {
        case .failure(let status):
            unsafe status.broke(.keyAfterEnd, CallToken(call))
            return status.code
        case .success(let running): found = running
        }
        guard let key = found.sink.key?.utf8 else { return SPIN_UNSUPPORTED }
        precondition(key.count < Int(SPIN_RUN_KEY_SIZE), "every key has room in SPIN_RUN_KEY_SIZE bytes")
        guard let to = unsafe to, capacity > key.count,
            unsafe !found.image.isGuarded || foreign_is_writable(to, key.count + 1)
        else {
            unsafe found.broke(.noRoomForKey, CallToken(call))
            return SPIN_BAD_VALUE
        }
        for (offset, byte) in key.enumerated() { unsafe to[offset] = CChar(bitPattern: byte) }
        unsafe to[key.count] = 0
        return SPIN_OK
    }

    static func attempt(_ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?) -> UInt32 {
        guard case .success(let found) = unsafe HostRegistry.shared.find(call) else { return 0 }
        return found.sink.attempt
    }
}
