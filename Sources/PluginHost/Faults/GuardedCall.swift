import CForeignCall

/// The call of a guarded plugin that the thread is in.
enum GuardedCall {
    /// Leaves the guarded call while the host works for the plugin. A crash there is the host's own.
    ///
    /// No Swift frame is active before, so that a crash in the plugin crosses none.
    @inline(__always)
    static func left<Result>(_ body: () -> Result) -> Result {
        // Safe because the call continues on the same thread.
        let call = unsafe foreign_guard_suspend()
        defer { unsafe foreign_guard_resume(call) }
        return body()
    }
}
