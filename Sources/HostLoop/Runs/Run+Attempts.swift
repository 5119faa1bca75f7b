/// What an effect does with parts of its own run; `Feedback.timeout(after:)` and `Feedback.retry(_:delay:)` do it
/// with the whole.
extension Run {
    /// Calls `effect` as a part of this run's call, which fails with `EffectTimeout` when that part has not ended
    /// `limit` later, by the loop's clock.
    ///
    /// What holds for the effect of `Feedback.timeout(after:)` holds for `effect`.
    /// - Parameter timer: the clock on whose timer thread the part is cancelled; nil: the loop's.
    /// - Returns: what the call that this is a part of returns.
    public func timeout(
        after limit: Duration, by timer: (any LoopClock)? = nil, _ effect: (Run) throws -> EffectStatus
    ) throws -> EffectStatus {
        let clock = timer ?? clock
        let relay = RunRelay(self)
        func setTimer() {
            let timer = clock.schedule(at: clock.now.advanced(by: limit)) {
                if relay.cut() { fail(EffectTimeout(limit: limit)) }
            }
            relay.whenOver { timer.cancel() }
        }
        // Of a call on the loop's executor nobody could tell that it takes too long.
        let isOnLoop = operations.isExecuting(number)
        if !isOnLoop { setTimer() }
        let status = try relay.call(effect)
        if isOnLoop, status == .pending { setTimer() }
        return status
    }

    /// Calls `effect` as a part of this run's call, and again, up to `times` times, when that part fails.
    /// - Parameters:
    ///   - times: How often it is called again before the failure counts.
    ///   - delay: How long to wait, by the loop's clock, before attempt number 1, 2, …; zero: not at all, the
    ///     attempt follows the step at hand.
    /// - Returns: what the call that this is a part of returns.
    public func retry(
        _ times: Int, delay: @escaping @Sendable (_ attempt: Int) -> Duration = { _ in .zero },
        _ effect: @escaping @Sendable (Run) throws -> EffectStatus
    ) throws -> EffectStatus {
        try attempt(0, of: times, delay, effect)
    }

    /// Calls `effect` as a part of this run's call. When that part fails, `recover` is given the failure and this
    /// run, which may emit several events or none: it finishes then, or fails as it would have when the answer is
    /// false.
    ///
    /// `recover` is called where the failure happened, not for a run that was cancelled.
    /// - Returns: what the call that this is a part of returns.
    public func `catch`(
        _ recover: @escaping @Sendable (any Error, Run) -> Bool, _ effect: (Run) throws -> EffectStatus
    ) throws -> EffectStatus {
        let relay = RunRelay(
            self,
            takesFailure: { error in
                guard !isCancelled, recover(error, self) else { return false }
                finish()
                return true
            })
        return try relay.call(effect)
    }

    private func attempt(
        _ number: Int, of times: Int, _ delay: @escaping @Sendable (Int) -> Duration,
        _ effect: @escaping @Sendable (Run) throws -> EffectStatus
    ) throws -> EffectStatus {
        let relay = RunRelay(
            self,
            takesFailure: { _ in
                guard number < times, !isCancelled else { return false }
                let next: @Sendable (Run) throws -> EffectStatus = {
                    try $0.attempt(number + 1, of: times, delay, effect)
                }
                let wait = delay(number + 1)
                if wait > .zero { resume(after: wait, next) } else { resume(next) }
                return true
            })
        return try relay.call(effect)
    }
}
