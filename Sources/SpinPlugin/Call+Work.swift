import CPluginABI

extension Call {
    /// Calls `body` once when the call is cancelled: its arguments changed, its case was left, its time is
    /// over, or the app ends.
    ///
    /// The call's arguments are valid until `body` returns. `body` must not block for long. The host does not
    /// call it when the plugin ends the call itself, with `finish` or `fail` of this type. Several bodies are
    /// called in order.
    ///
    /// - Throws: `.cancelled` or `.stopped` when the call is over already; `.full` when C code has registered
    ///   a function for it. `body` is not called then.
    public func onCancel(_ body: @escaping @Sendable () -> Void) throws(Status) {
        let status = Cancellations.add(self, body)
        guard status == .ok else { throw status }
    }

    /// Runs `body` in a task and ends the call with it: finished when `body` returns, failed when it throws.
    ///
    /// The task begins at once. It is cancelled with the call; its later emissions and errors have no effect.
    /// Nothing happens when the call is over already. A thrown `Status` is the failure's code; any other
    /// error gives `.failed`. The failure's text is the error's description.
    ///
    /// ```swift
    /// @Effect func fetch(_ call: Call, url: String) {
    ///     call.run {
    ///         let page = try await load(url)
    ///         _ = loaded(call, body: page.body, status: page.status)
    ///     }
    /// }
    /// ```
    public func run(_ body: @escaping @Sendable () async throws -> Void) {
        let running = RunningTask()
        // This comes first, because the task may end the call at once.
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

    /// A timer of a call. It ends with the call.
    public struct Timer: Hashable, Sendable {
        private let number: spin_timer

        init(_ number: spin_timer) { self.number = number }

        /// Ends the timer and returns at once. Its function may still run on another thread.
        ///
        /// - Returns: `.stopped` when it had ended before.
        @discardableResult
        public func cancel() -> Status { Status(rawValue: spin_timer_cancel(number)) }
    }

    private final class Firing: Sendable {
        let body: @Sendable (UInt64) -> Void

        init(_ body: @escaping @Sendable (UInt64) -> Void) { self.body = body }
    }

    /// Calls `body` after a time of the host's clock and, with an `interval`, repeatedly. Due times do not
    /// drift.
    ///
    /// - Parameters:
    ///   - first: the time until the first call; not negative.
    ///   - interval: the time from each due time to the next; zero or nil for one call.
    ///   - body: called on a thread of the host, which it must not block, one call at a time. It gets the
    ///     number of due times since the previous call, at least 1.
    /// - Throws: `.badValue` for a negative time, `.cancelled` or `.stopped` when the call is over,
    ///   `.unsupported` when the host has no timers.
    @discardableResult
    public func startTimer(
        after first: Duration, every interval: Duration? = nil,
        _ body: @escaping @Sendable (_ expirations: UInt64) -> Void
    ) throws(Status) -> Timer {
        // Safe because the host takes over the object; otherwise this function releases it.
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
    /// Whole nanoseconds, limited to the range of `Int64`.
    @usableFromInline var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let limit = seconds < 0 ? Int64.min : .max
        guard !overflows else { return limit }
        let (sum, exceeds) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return exceeds ? limit : sum
    }
}
