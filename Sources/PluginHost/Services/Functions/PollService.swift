import CPluginABI
import HostLoop

/// The functions of `spin_poll_service`.
// Safe because tokens and numbers are looked up before they are used.
enum PollService {
    static func start(
        _ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?, _ descriptor: Int32, _ events: UInt64,
        _ ready: (@convention(c) (UnsafeMutableRawPointer?, UInt64) -> Void)?,
        _ context: UnsafeMutableRawPointer?,
        _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?, _ poll: UnsafeMutablePointer<UInt64>?
    ) -> Int32 {
        guard let ready = unsafe ready, areKnown(events) else {
            unsafe PluginArguments.broke(areKnown(events) ? .noFunction : .badPoll, call)
            return SPIN_BAD_VALUE
        }
        switch unsafe HostRegistry.shared.find(call) {
        case .failure(let status):
            unsafe status.broke(.requestAfterEnd, CallToken(call))
            return status.code
        case .success(let found):
            guard unsafe PluginArguments.canStore(poll, for: found.image) else {
                unsafe PluginArguments.broke(.badPlace, call)
                return SPIN_BAD_VALUE
            }
            let request = unsafe PollTable.Request(
                call: CallToken(call), image: found.image, descriptor: descriptor,
                ready: NumberCallback(ready, context),
                release: release.map { unsafe PluginCallback($0, context) })
            return HostRegistry.shared.start(request, events: events) { number in
                if let poll = unsafe poll { unsafe poll.pointee = number }
            }
        }
    }

    static func change(_ host: UnsafePointer<spin_host>?, _ poll: UInt64, _ events: UInt64) -> Int32 {
        areKnown(events) ? HostRegistry.shared.change(poll, to: events) : SPIN_BAD_VALUE
    }

    static func cancel(_ host: UnsafePointer<spin_host>?, _ poll: UInt64) -> Int32 {
        HostRegistry.shared.end(poll: poll)
    }

    private static func areKnown(_ events: UInt64) -> Bool {
        events & ~(PollEvents.read | PollEvents.write) == 0
    }
}
