import CPluginABI
import HostLoop

/// The functions of `spin_timer_service`.
// Safe because the functions look up or check every argument before they use it.
enum TimerService {
    static func start(
        _ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?, _ first: Int64, _ interval: Int64,
        _ fire: (@convention(c) (UnsafeMutableRawPointer?, UInt64) -> Void)?,
        _ argument: UnsafeMutableRawPointer?,
        _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
        _ timer: UnsafeMutablePointer<UInt64>?
    ) -> Int32 {
        guard first >= 0, interval >= 0, let fire = unsafe fire else {
            unsafe PluginArguments.broke(first < 0 || interval < 0 ? .negativeTime : .noFunction, call)
            return SPIN_BAD_VALUE
        }
        switch unsafe HostRegistry.shared.find(call) {
        case .failure(let status):
            unsafe status.broke(.requestAfterEnd, CallToken(call))
            return status.code
        case .success(let found):
            guard unsafe PluginArguments.canStore(timer, for: found.image) else {
                unsafe PluginArguments.broke(.badPlace, call)
                return SPIN_BAD_VALUE
            }
            let request = unsafe TimerTable.Request(
                call: CallToken(call), image: found.image, interval: interval,
                fire: NumberCallback(fire, argument),
                release: release.map { unsafe PluginCallback($0, argument) })
            let due = found.image.services.clock.now.advanced(by: .nanoseconds(first))
            return HostRegistry.shared.start(request, due: due) { number in
                if let timer = unsafe timer { unsafe timer.pointee = number }
            }
        }
    }

    static func cancel(_ host: UnsafePointer<spin_host>?, _ timer: UInt64) -> Int32 {
        HostRegistry.shared.stop(timer)
    }
}
