import CPluginABI
import Synchronization

/// What is to be called when calls are cancelled.
///
/// C registers one pointer, which nobody takes back when a call ends otherwise. Here the token is that pointer, and the functions
/// are kept until the call is cancelled or ended through `Call`; those of a call that C functions end stay.
enum Cancellations {
    typealias Function = @Sendable () -> Void

    private static let functions = Mutex<[Call: [Function]]>([:])

    /// Has the function called when the call is cancelled, after those that were added before; not when the answer is another
    /// than `.ok`.
    static func add(_ call: Call, _ function: @escaping Function) -> Status {
        functions.withLock { functions in
            if functions[call] != nil {
                functions[call]!.append(function)
                return .ok
            }
            // Safe because the token is read as a number. The host calls nothing back meanwhile.
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

    /// Takes the functions of a call out.
    @discardableResult
    static func remove(_ call: Call) -> [Function] {
        functions.withLock { $0.removeValue(forKey: call) } ?? []
    }
}
