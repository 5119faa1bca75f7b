import CPluginABI

extension Call {
    /// Calls `body` once, when nobody wants the call's events any more: its arguments changed, its case was left, its time is over,
    /// the app ends. It has returned before the call's arguments go, and must not block for long. Not called when the plugin ends
    /// the call itself, which it does with `finish` or `fail` of this type. Several are called in order.
    ///
    /// - Throws: `.cancelled` or `.stopped` when the call is over already, `.full` when C has registered a function for it; `body`
    ///   is not called then.
    public func onCancel(_ body: @escaping @Sendable () -> Void) throws(Status) {
        let status = Cancellations.add(self, body)
        guard status == .ok else { throw status }
    }

    /// Ends with a task, which begins at once: finished when `body` returns, failed with what it throws. The task is cancelled
    /// with the call; what it emits or throws then goes nowhere. Nothing happens when the call is over already.
    ///
    /// An error that is a `Status` is the failure's code, others are `.failed`; the text is the error's description.
    ///
    /// ```swift
    /// @c(fetch)
    /// func fetch(_ token: OpaquePointer, _ url: UnsafePointer<CChar>) {
    ///     let (call, url) = (Call(token), String(cString: url))
    ///     call.run {
    ///         let page = try await load(url)
    ///         loaded(call.token, page.body, page.status)
    ///     }
    /// }
    /// ```
    public func run(_ body: @escaping @Sendable () async throws -> Void) {
        let running = RunningTask()
        // First, as the task may end the call at once.
        do throws(Status) { try onCancel { running.cancel() } } catch { guard error == .full else { return } }
        running.hold(
            Task {
                do {
                    try await body()
                    finish()
                } catch {
                    fail("\(error)", code: error as? Status ?? .failed)
                }
            })
    }

    /// A timer of a call, which ends with it.
    public struct Timer: Hashable, Sendable {
        private let number: spin_timer

        init(_ number: spin_timer) { self.number = number }

        /// Ends the timer and returns at once; its function may still be running on another thread.
        ///
        /// - Returns: `.stopped` when it had ended.
        @discardableResult
        public func cancel() -> Status { Status(rawValue: spin_timer_cancel(number)) }
    }

    private final class Firing: Sendable {
        let body: @Sendable (UInt64) -> Void

        init(_ body: @escaping @Sendable (UInt64) -> Void) { self.body = body }
    }

    /// Calls `body` after a time by the host's clock and, if `interval` is given, again and again; due times do not drift.
    ///
    /// - Parameters:
    ///   - first: how long until the first time; not negative.
    ///   - interval: how long from each time to the next; zero or nil for once.
    ///   - body: called on a thread of the host, which it must not block, with the number of due times since the call before, at least
    ///     1. One call at a time.
    /// - Throws: `.badValue` for a negative time, `.cancelled` or `.stopped` when the call is over, `.unsupported` when the host has no
    ///   timers.
    @discardableResult
    public func startTimer(
        after first: Duration, every interval: Duration? = nil,
        _ body: @escaping @Sendable (_ expirations: UInt64) -> Void
    ) throws(Status) -> Timer {
        // Safe because the host takes the object over, or else it is released here.
        let firing = unsafe Unmanaged.passRetained(Firing(body))
        var number: spin_timer = 0
        let status = unsafe Status(
            rawValue: spin_timer_start(
                token, first.nanoseconds, interval?.nanoseconds ?? 0,
                { context, expirations in
                    unsafe Unmanaged<Firing>.fromOpaque(context!).takeUnretainedValue().body(expirations)
                }, firing.toOpaque(), { context in unsafe Unmanaged<Firing>.fromOpaque(context!).release() },
                &number))
        guard status == .ok else {
            unsafe firing.release()
            throw status
        }
        return Timer(number)
    }
}

extension Duration {
    /// Whole nanoseconds, within what C can say.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let limit = seconds < 0 ? Int64.min : .max
        guard !overflows else { return limit }
        let (sum, exceeds) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return exceeds ? limit : sum
    }
}
