import CPluginABI
import HostLoop

/// The functions of `spin_clock_service`.
// Safe because the functions look up or check every argument before they use it.
enum ClockService {
    static func monotonic(_ host: UnsafePointer<spin_host>?) -> Int64 {
        unsafe HostRegistry.shared.image(of: host)?.services.clock.now.nanoseconds ?? 0
    }

    static func wall(_ host: UnsafePointer<spin_host>?) -> Int64 {
        unsafe HostRegistry.shared.image(of: host)?.services.wallTime() ?? 0
    }
}
