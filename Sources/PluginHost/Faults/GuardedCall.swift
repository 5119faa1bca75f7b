import CForeignCall

/// The call of a guarded plugin that the thread is in.
enum GuardedCall {
    /// Does what the plugin asks of its host outside of the call: a crash there is the host's own.
    ///
    /// Nothing of Swift is under way before, so that a crash in the plugin crosses no frame of it.
    @inline(__always)
    static func left<Result>(_ body: () -> Result) -> Result {
        // Safe because the call goes on on the same thread.
        let call = unsafe foreign_guard_suspend()
        defer { unsafe foreign_guard_resume(call) }
        return body()
    }
}
