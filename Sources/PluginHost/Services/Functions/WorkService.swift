import CPluginABI

/// The functions of `spin_work_service`.
// Safe because the functions look up or check every argument before they use it.
enum WorkService {
    static func submit(
        _ host: UnsafePointer<spin_host>?, _ function: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
        _ argument: UnsafeMutableRawPointer?
    ) -> Int32 {
        guard let image = unsafe HostRegistry.shared.image(of: host) else { return SPIN_NO_HOST }
        guard let function = unsafe function else { return SPIN_BAD_VALUE }
        return unsafe image.submit(PluginCallback(function, argument)) ? SPIN_OK : SPIN_NO_MEMORY
    }
}
