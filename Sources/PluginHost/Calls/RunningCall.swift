import CForeignCall
import HostLoop

/// A call of a plugin's function that runs now on a thread of the process.
public struct RunningCall: Hashable, Sendable {
    /// The kind of function that is called.
    public enum Role: Sendable {
        /// An effect, or a function of a plain C library.
        case effect
        case reducer
        case timer
        /// A function on a thread of its own, which may last for any time.
        case work
        /// A function of an instance, such as `start`. Its caller has a deadline of its own.
        case life
        /// Any other function that was given to the host.
        case other
    }

    /// Distinguishes the calls of different threads.
    let thread: UInt
    /// Distinguishes the calls of one thread.
    let serial: UInt64
    /// The object of the plugin, as a number.
    let owner: UInt
    /// The kind of function that is called.
    public let role: Role
    /// The function's name; empty for a callback.
    public let name: String
    /// The function in words: `` effect `fetch` ``.
    public let what: String

    /// True when the call is one of this plugin.
    public func isOf(_ image: PluginImage) -> Bool {
        // Safe because the object's address is compared as a number.
        unsafe owner == UInt(bitPattern: Unmanaged.passUnretained(image).toOpaque())
    }

    /// The calls that run now. Does not wait for any plugin.
    public static func all() -> [RunningCall] {
        // The greatest number of threads that one look reports.
        let capacity = 256
        // The lock keeps the callees while they are read.
        return Callee.reading.withLock { _ in
            unsafe withUnsafeTemporaryAllocation(of: foreign_running_call.self, capacity: capacity) {
                calls in
                // Safe because the call writes `count` elements, and the lock keeps the callees.
                let count = unsafe foreign_running_calls(calls.baseAddress, capacity)
                return (0..<min(count, capacity)).map { unsafe RunningCall(calls[$0]) }
            }
        }
    }

    init(thread: UInt, serial: UInt64, owner: UInt, role: Role, name: String, what: String) {
        (self.thread, self.serial, self.owner) = (thread, serial, owner)
        (self.role, self.name, self.what) = (role, name, what)
    }

    private init(_ call: foreign_running_call) {
        // Safe because the caller's lock keeps the callee and its texts.
        let callee = unsafe call.callee.pointee
        unsafe (thread, serial) = (UInt(call.thread), call.serial)
        owner = unsafe UInt(bitPattern: callee.owner)
        role =
            switch unsafe Int(callee.role) {
            case FOREIGN_EFFECT, FOREIGN_FUNCTION: .effect
            case FOREIGN_REDUCER: .reducer
            case FOREIGN_TIMER: .timer
            case FOREIGN_WORK: .work
            case FOREIGN_LIFE: .life
            default: .other
            }
        name = unsafe String(cString: callee.name)
        what = unsafe String(cString: callee.what)
    }
}
