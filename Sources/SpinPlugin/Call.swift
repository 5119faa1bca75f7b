import CPluginABI

/// One running call of an effect that takes `spin_call *` first.
///
/// It is a token, not an address: a plugin may keep it, copy it and use it from any thread for ever. When the
/// call is over, every function returns an error and does nothing.
///
/// ```swift
/// @Effect func fetch(_ call: Call) {
///     start { succeeded in
///         if succeeded { call.finish() } else { call.fail("the server did not answer") }
///     }
/// }
/// ```
public struct Call: Hashable, Sendable {
    let bits: UInt

    /// The call that the host passed as first argument. The pointer is not dereferenced.
    public init(_ token: OpaquePointer) {
        bits = UInt(bitPattern: token)
    }

    /// The token, for the functions of `spinhost/plugin.h` and the emitters of a plugin.
    public var token: OpaquePointer? {
        // Safe because the host validates the token and never uses it as an address.
        unsafe OpaquePointer(bitPattern: bits)
    }

    /// Whether the call was cancelled or is over, so that more work for it has no effect. Cheap; from any
    /// thread.
    public var isCancelled: Bool {
        // Safe because the host validates the token.
        unsafe spin_cancelled(token) != 0
    }

    /// The time when the host cancels the call, in nanoseconds of `Host.monotonicNanoseconds`. `Int64.max`
    /// without a timeout, and for a call that is over. From any thread.
    public var deadline: Int64 {
        // Safe because the host validates the token.
        unsafe spin_deadline(token)
    }

    /// Memory of the host, not cleared. It is valid until the effect has returned and the call is over: `finish` or
    /// `fail` has ended it, or the host has cancelled it and the function of `spin_on_cancel` has returned. Nil when
    /// there is no memory, and for a call that is over. From any thread.
    public func allocate(byteCount: Int) -> UnsafeMutableRawBufferPointer? {
        // Safe because the host validates the token, and the memory has the requested size.
        guard byteCount >= 0, let memory = unsafe spin_call_alloc(token, byteCount) else { return nil }
        return unsafe UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
    }

    /// Ends the call: the plugin emits nothing more, and pointers among the effect's arguments are no longer
    /// valid.
    ///
    /// - Returns: `.ok` when this ended the call, `.cancelled` or `.stopped` when it was over already.
    @discardableResult
    public func finish() -> Status {
        // Safe because the host validates the token.
        ended(Status(rawValue: unsafe spin_finish(token)))
    }

    /// Ends the call as failed. A manifest reads `error.code` and `error.message`.
    ///
    /// - Parameters:
    ///   - message: one sentence for the user; the host copies it. It ends at the first NUL.
    ///   - code: negative, the plugin's own; zero counts as `.failed`.
    /// - Returns: as `finish()` does.
    @discardableResult
    public func fail(_ message: String, code: Status = .failed) -> Status {
        // Safe because the host validates the token and copies the text before it returns.
        ended(Status(rawValue: unsafe spin_fail(token, code.rawValue, message)))
    }

    /// Drops the functions that `onCancel` keeps for the call, unless the host has ended it and is about to
    /// call them.
    private func ended(_ status: Status) -> Status {
        if status == .ok { Cancellations.remove(self) }
        return status
    }
}
