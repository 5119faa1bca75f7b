import CPluginABI
import HostLoop

/// The functions of `spin_room_service`.
// Safe because the token is looked up before it is used.
enum RoomService {
    static func onRoom(
        _ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?,
        _ function: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
        _ context: UnsafeMutableRawPointer?
    ) -> Int32 {
        guard let function = unsafe function else {
            unsafe PluginArguments.broke(.noFunction, call)
            return SPIN_BAD_VALUE
        }
        return unsafe HostRegistry.shared.onRoom(CallToken(call), PluginCallback(function, context))
    }
}
