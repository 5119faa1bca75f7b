import CForeignCall
import CPluginABI
import Glibc
import HostLoop

/// Implements the functions of `spin_host`. Plugins call them on any thread, with any arguments.
// Safe because every number and table is looked up before it is used, and text is copied during the call. The
// plugin promises that other pointers are NULL or valid, as the header requires.
enum HostFunctions {
    static func emit(
        _ call: OpaquePointer?, _ emitter: UnsafePointer<spin_emitter>?, _ payload: UnsafeRawPointer?,
        wait: EmissionWait = .none
    ) -> Int32 {
        let token = unsafe CallToken(call)
        switch HostRegistry.shared.findEmitting(token) {
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
            unsafe PluginArguments.broke(.waitOnLoop, call)
            return SPIN_UNSUPPORTED
        }
        // Safe because callees are immortal.
        if timeout != 0, let callee = unsafe foreign_callee_current(),
            unsafe Int(callee.pointee.role) == FOREIGN_TIMER
        {
            unsafe PluginArguments.broke(.waitInTimer, call)
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
            let readable =
                unsafe PluginArguments.isReadable(text, isGuarded: found.image.isGuarded) ? text : nil
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
            unsafe PluginArguments.broke(.noFunction, call)
            return SPIN_BAD_VALUE
        }
        return unsafe HostRegistry.shared.onCancel(CallToken(call), PluginCallback(function, argument))
    }

    static func deadline(_ call: OpaquePointer?) -> Int64 {
        guard case .success(let found) = unsafe HostRegistry.shared.find(call) else { return .max }
        return found.deadline
    }
}
