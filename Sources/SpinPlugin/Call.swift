import CPluginABI

/// One running call of an effect that takes `spin_call *` first.
///
/// A token, not an address: it may be kept, copied and used from any thread for ever. Once the call is over, every
/// function says so and does nothing.
///
/// ```swift
/// @c(fetch)
/// func fetch(_ token: OpaquePointer) {
///     let call = Call(token)
///     start { succeeded in
///         if succeeded { call.finish() } else { call.fail("the server did not answer") }
///     }
/// }
/// ```
public struct Call: Hashable, Sendable {
    let bits: UInt

    /// The call that the host passed as first argument. Nothing is read through the pointer.
    public init(_ token: OpaquePointer) {
        bits = UInt(bitPattern: token)
    }

    /// The token, for the functions of `spinhost/plugin.h` and the emitters of a plugin.
    public var token: OpaquePointer? {
        // Safe because the host validates the token and never takes it for an address.
        unsafe OpaquePointer(bitPattern: bits)
    }

    /// Whether the call was cancelled or is over, so that work for it is in vain. Cheap; from any thread.
    public var isCancelled: Bool {
        // Safe because the host validates the token.
        unsafe spin_cancelled(token) != 0
    }

    /// When the call is to be over, in nanoseconds of `Host.monotonicNanoseconds`; `Int64.max` when it may take for ever,
    /// and for a call that is over. From any thread.
    public var deadline: Int64 {
        // Safe because the host validates the token.
        unsafe spin_deadline(token)
    }

    /// Memory that goes with the call, not cleared: until `finish` or `fail` ends it, or the function given to
    /// `spin_on_cancel` has returned. Nil when there is none, and for a call that is over. From any thread.
    public func allocate(byteCount: Int) -> UnsafeMutableRawBufferPointer? {
        // Safe because the host validates the token, and the memory is as large as was asked for.
        guard byteCount >= 0, let memory = unsafe spin_call_alloc(token, byteCount) else { return nil }
        return unsafe UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
    }

    /// Ends the call: nothing more will be emitted, and pointers among the effect's arguments are no longer valid.
    ///
    /// - Returns: `.ok` when this ended the call, `.cancelled` or `.stopped` when it was over already.
    @discardableResult
    public func finish() -> Status {
        // Safe because the host validates the token.
        ended(Status(rawValue: unsafe spin_finish(token)))
    }

    /// Ends the call as failed; a manifest sees `error.code` and `error.message`.
    ///
    /// - Parameters:
    ///   - message: one sentence for the user; the host copies it. It ends at the first NUL.
    ///   - code: negative, the plugin's own; zero counts as `.failed`.
    /// - Returns: as `finish()`.
    @discardableResult
    public func fail(_ message: String, code: Status = .failed) -> Status {
        // Safe because the host validates the token and copies the text before it returns.
        ended(Status(rawValue: unsafe spin_fail(token, code.rawValue, message)))
    }

    /// What `onCancel` keeps for a call goes with it, unless the host has ended the call and is about to ask for it.
    private func ended(_ status: Status) -> Status {
        if status == .ok { Cancellations.remove(self) }
        return status
    }
}
