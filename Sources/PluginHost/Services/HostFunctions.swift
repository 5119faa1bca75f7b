import CForeignCall
import CPluginABI
import Glibc
import HostLoop

/// Implements the functions of `spin_host` and its services. Plugins call them on any thread, with any
/// arguments.
// Safe because every number and table is looked up before it is used, and text is copied during the call. The
// plugin promises that other pointers are NULL or valid, as the header requires.
enum HostFunctions {
    /// The most bytes that a text may have. A longer one is a mistake of the plugin.
    private static let longestText = 1 << 30

    static func emit(
        _ call: OpaquePointer?, _ emitter: UnsafePointer<spin_emitter>?, _ payload: UnsafeRawPointer?,
        wait: EmissionWait = .none
    ) -> Int32 {
        let token = unsafe CallToken(call)
        switch HostRegistry.shared.calls.withLock({ $0.calls.findEmitting(token) }) {
        case .failure(let status):
            status.broke(.emissionAfterEnd, token)
            return status.code
        case .success(let found):
            guard let emitter = found.image.emitter(at: UInt(bitPattern: emitter)) else {
                found.sink.rejected(emitter: nil, reason: "the emitter is not the plugin's own")
                return SPIN_BAD_VALUE
            }
            do {
                return unsafe try emitter.emit(
                    payload, to: found.sink, wait: wait, isProbed: found.image.isGuarded)
            } catch {
                found.sink.rejected(emitter: emitter.name, reason: "\(error)")
                return SPIN_BAD_VALUE
            }
        }
    }

    static func emitWaiting(
        _ call: OpaquePointer?, _ emitter: UnsafePointer<spin_emitter>?, _ payload: UnsafeRawPointer?,
        _ timeout: Int64
    ) -> Int32 {
        guard !LoopExecutor.isLooping else {
            unsafe broke(.waitOnLoop, call)
            return SPIN_UNSUPPORTED
        }
        // Safe because callees are immortal.
        if timeout != 0, let callee = unsafe foreign_callee_current(),
            unsafe Int(callee.pointee.role) == FOREIGN_TIMER
        {
            unsafe broke(.waitInTimer, call)
        }
        let limit = timeout < 0 ? nil : Duration.nanoseconds(timeout)
        return unsafe emit(call, emitter, payload, wait: .upTo(limit))
    }

    static func finish(_ call: OpaquePointer?) -> Int32 {
        let token = unsafe CallToken(call)
        switch HostRegistry.shared.end(token, answer: SPIN_STOPPED) {
        case .failure(let status):
            status.broke(.secondEnd, token)
            return status.code
        case .success(let found):
            found.sink.finished()
            return SPIN_OK
        }
    }

    static func fail(_ call: OpaquePointer?, _ code: Int32, _ text: UnsafePointer<CChar>?) -> Int32 {
        let token = unsafe CallToken(call)
        switch HostRegistry.shared.end(token, answer: SPIN_STOPPED) {
        case .failure(let status):
            status.broke(.secondEnd, token)
            return status.code
        case .success(let found):
            let readable = unsafe isReadable(text, found.image) ? text : nil
            let text = unsafe readable.map { unsafe String(cString: $0) } ?? ""
            found.sink.failed(code: code < 0 ? code : SPIN_FAILED, text: text)
            return SPIN_OK
        }
    }

    static func isCancelled(_ call: OpaquePointer?) -> Bool {
        let token = unsafe CallToken(call)
        return HostRegistry.shared.calls.withLock { !$0.calls.isRunning(token) }
    }

    static func onCancel(
        _ call: OpaquePointer?, _ function: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
        _ argument: UnsafeMutableRawPointer?
    ) -> Int32 {
        guard let function = unsafe function else {
            unsafe broke(.noFunction, call)
            return SPIN_BAD_VALUE
        }
        return unsafe HostRegistry.shared.onCancel(CallToken(call), PluginCallback(function, argument))
    }

    static func deadline(_ call: OpaquePointer?) -> Int64 {
        guard case .success(let found) = unsafe HostRegistry.shared.find(call) else { return .max }
        return found.deadline
    }

    static func allocate(_ call: OpaquePointer?, _ size: Int) -> UnsafeMutableRawPointer? {
        unsafe HostRegistry.shared.allocate(size, for: CallToken(call))
    }

    static func submit(
        _ host: UnsafePointer<spin_host>?, _ function: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
        _ argument: UnsafeMutableRawPointer?
    ) -> Int32 {
        guard let image = unsafe HostRegistry.shared.image(of: host) else { return SPIN_NO_HOST }
        guard let function = unsafe function else { return SPIN_BAD_VALUE }
        return unsafe image.submit(PluginCallback(function, argument)) ? SPIN_OK : SPIN_NO_MEMORY
    }

    // MARK: Log, output and clock

    static func writeLog(
        _ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?, _ level: Int32,
        _ text: UnsafePointer<CChar>?,
        _ size: Int
    ) -> Int32 {
        guard let image = unsafe image(host, call) else { return SPIN_NO_HOST }
        guard let line = unsafe line(text, size, image) else { return SPIN_BAD_VALUE }
        unsafe image.log(line, level: level, call: call.map { unsafe CallToken($0) })
        return SPIN_OK
    }

    static func print(_ host: UnsafePointer<spin_host>?, _ text: UnsafePointer<CChar>?, _ size: Int) -> Int32
    {
        guard let image = unsafe HostRegistry.shared.image(of: host) else { return SPIN_NO_HOST }
        guard let line = unsafe line(text, size, image) else { return SPIN_BAD_VALUE }
        return image.services.output(line) ? SPIN_OK : SPIN_FAILED
    }

    static func monotonicTime(_ host: UnsafePointer<spin_host>?) -> Int64 {
        unsafe HostRegistry.shared.image(of: host)?.services.clock.now.nanoseconds ?? 0
    }

    static func wallTime(_ host: UnsafePointer<spin_host>?) -> Int64 {
        unsafe HostRegistry.shared.image(of: host)?.services.wallTime() ?? 0
    }

    // MARK: Timers

    static func startTimer(
        _ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?, _ first: Int64, _ interval: Int64,
        _ fire: (@convention(c) (UnsafeMutableRawPointer?, UInt64) -> Void)?,
        _ argument: UnsafeMutableRawPointer?,
        _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
        _ timer: UnsafeMutablePointer<UInt64>?
    ) -> Int32 {
        guard first >= 0, interval >= 0, let fire = unsafe fire else {
            unsafe broke(first < 0 || interval < 0 ? .negativeTime : .noFunction, call)
            return SPIN_BAD_VALUE
        }
        switch unsafe HostRegistry.shared.find(call) {
        case .failure(let status):
            unsafe status.broke(.requestAfterEnd, CallToken(call))
            return status.code
        case .success(let found):
            let request = unsafe TimerTable.Request(
                call: CallToken(call), image: found.image, interval: interval,
                fire: TimerCallback(fire, argument),
                release: release.map { unsafe PluginCallback($0, argument) })
            let due = found.image.services.clock.now.advanced(by: .nanoseconds(first))
            return HostRegistry.shared.start(request, due: due) { number in
                if let timer = unsafe timer { unsafe timer.pointee = number }
            }
        }
    }

    static func cancelTimer(_ host: UnsafePointer<spin_host>?, _ timer: UInt64) -> Int32 {
        HostRegistry.shared.stop(timer)
    }

    // MARK: Arguments

    /// The plugin that a table belongs to; if there is none, the plugin of a call.
    private static func image(_ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?) -> PluginImage? {
        if let image = unsafe HostRegistry.shared.image(of: host) { return image }
        guard case .success(let found) = unsafe HostRegistry.shared.find(call) else { return nil }
        return found.image
    }

    private static func line(
        _ text: UnsafePointer<CChar>?, _ size: Int, _ image: PluginImage
    ) -> String? {
        if size == 0 { return "" }
        if size > 0, size <= longestText, let text = unsafe text,
            unsafe !image.isGuarded || foreign_is_readable(text, size),
            let line = unsafe String(
                validating: UnsafeRawBufferPointer(start: text, count: size).bindMemory(to: UInt8.self),
                as: UTF8.self)
        {
            return line
        }
        image.conduct.broke(.badText, effect: nil, call: nil)
        return nil
    }

    /// Whether a text can be read. Only checked for guarded plugins.
    private static func isReadable(_ text: UnsafePointer<CChar>?, _ image: PluginImage) -> Bool {
        guard image.isGuarded, let text = unsafe text else { return true }
        return unsafe foreign_text_size(text) >= 0
    }

    /// Notes that the plugin of a running call broke a rule.
    private static func broke(_ rule: PluginRule, _ call: OpaquePointer?) {
        guard case .success(let found) = unsafe HostRegistry.shared.find(call) else { return }
        unsafe found.broke(rule, CallToken(call))
    }
}
