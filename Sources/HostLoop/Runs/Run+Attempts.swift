/// Modifiers for parts of a run, which an effect applies itself. `Feedback.timeout(after:)` and
/// `Feedback.retry(_:delay:)` apply to the whole run.
extension Run {
    /// Calls `effect` as a part of this run's call. The run fails with `EffectTimeout` when that part has not
    /// ended `limit` later, by the loop's clock.
    ///
    /// The rules for the effect of `Feedback.timeout(after:)` apply to `effect`.
    /// - Parameter timer: The clock whose timer thread cancels the part; nil means the loop's clock.
    /// - Returns: The result for the call that this is a part of.
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
        // During a call on the loop's executor the timer would have no effect: nothing can interrupt the
        // call.
        let isOnLoop = operations.isExecuting(number)
        if !isOnLoop { setTimer() }
        let status = try relay.call(effect)
        if isOnLoop, status == .pending { setTimer() }
        return status
    }

    /// Calls `effect` as a part of this run's call, and calls it again, up to `times` times, when that part
    /// fails.
    /// - Parameters:
    ///   - times: The number of further calls before the failure counts.
    ///   - delay: The time to wait, by the loop's clock, before attempt number 1, 2, …. If it is zero, the
    ///     attempt follows the current step.
    /// - Returns: The result for the call that this is a part of.
    public func retry(
        _ times: Int, delay: @escaping @Sendable (_ attempt: Int) -> Duration = { _ in .zero },
        _ effect: @escaping @Sendable (Run) throws -> EffectStatus
    ) throws -> EffectStatus {
        try attempt(0, of: times, delay, effect)
    }

    /// Calls `effect` as a part of this run's call. When that part fails, the run calls `recover` with the
    /// failure and itself.
    ///
    /// `recover` may emit several events or none. If it returns true, the run finishes. If it returns false,
    /// the run fails as without `catch`. `recover` is called on the thread of the failure, and not for a
    /// cancelled run.
    /// - Returns: The result for the call that this is a part of.
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
