import CPluginABI
import Synchronization

/// The functions to call when calls are cancelled.
///
/// C registers one pointer, which is not released when a call ends in another way. Here that pointer is the
/// token. This object keeps the functions until the call is cancelled, or ended through `Call`. It keeps
/// those of a call that C code ends.
enum Cancellations {
    typealias Function = @Sendable () -> Void

    private static let functions = Mutex<[Call: [Function]]>([:])

    /// Adds a function to call when the call is cancelled, after the functions that were added before. Unless
    /// the result is `.ok` it is not called.
    static func add(_ call: Call, _ function: @escaping Function) -> Status {
        functions.withLock { functions in
            if functions[call] != nil {
                functions[call]!.append(function)
                return .ok
            }
            // Safe because the token is read as a number. The host calls no function meanwhile.
            let status = unsafe Status(
                rawValue: spin_on_cancel(
                    call.token,
                    { context in unsafe Cancellations.remove(Call(OpaquePointer(context!))).forEach { $0() }
                    },
                    UnsafeMutableRawPointer(call.token)))
            if status == .ok { functions[call] = [function] }
            return status
        }
    }

    /// Removes and returns the functions of a call.
    @discardableResult
    static func remove(_ call: Call) -> [Function] {
        functions.withLock { $0.removeValue(forKey: call) } ?? []
    }
}
