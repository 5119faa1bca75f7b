import CForeignCall

/// A function that a plugin gives to the host, with the pointer that the host must pass to it.
// Safe because the ABI lets the host call the function on any thread, and the host only carries the pointer.
@safe
struct PluginCallback: @unchecked Sendable {
    private let function: @convention(c) (UnsafeMutableRawPointer?) -> Void
    private let argument: UnsafeMutableRawPointer?

    init(
        _ function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void,
        _ argument: UnsafeMutableRawPointer?
    ) {
        unsafe self.function = function
        unsafe self.argument = argument
    }

    /// The function at `address`, which takes one pointer and returns nothing.
    init(_ address: UnsafeRawPointer, _ argument: UnsafeMutableRawPointer?) {
        // Safe because the manifest declares the function so.
        unsafe function = unsafeBitCast(address, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
        unsafe self.argument = argument
    }

    /// Calls the function on behalf of `image`.
    ///
    /// - Parameter subject: the function in the error's message; nil: its name or description.
    /// - Returns: nil when it returned.
    func call(
        for image: PluginImage, as role: Callee.Role, in call: CallToken? = nil,
        subject: @autoclosure () -> String? = nil
    ) -> PluginError? {
        unsafe image.callBack(role, in: call, as: subject()) { callee, message in
            // Safe because `message.count` is the size of the message buffer.
            unsafe foreign_call_back(callee, function, argument, message.baseAddress, message.count)
        }
    }
}

/// A function that a plugin gives to the host for a timer or a poll. The host passes the plugin's pointer and
/// a number: of due times, or of events.
// Safe because the ABI lets the host call the function on any thread, and the host only carries the pointer.
@safe
struct NumberCallback: @unchecked Sendable {
    private let function: @convention(c) (UnsafeMutableRawPointer?, UInt64) -> Void
    private let argument: UnsafeMutableRawPointer?

    init(
        _ function: @escaping @convention(c) (UnsafeMutableRawPointer?, UInt64) -> Void,
        _ argument: UnsafeMutableRawPointer?
    ) {
        unsafe self.function = function
        unsafe self.argument = argument
    }

    /// Calls the function on behalf of `image`; nil when it returned.
    func call(
        with number: UInt64, for image: PluginImage, as role: Callee.Role, in call: CallToken
    ) -> PluginError? {
        unsafe image.callBack(role, in: call, as: nil) { callee, message in
            // Safe because `message.count` is the size of the message buffer.
            unsafe foreign_call_back_counting(
                callee, function, argument, number, message.baseAddress, message.count)
        }
    }
}
