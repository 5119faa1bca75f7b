extension Feedback {
    /// The same feedback, which calls each run's effect `delay` after the run's start, by the loop's clock,
    /// unless the run ends before.
    public func delay(for delay: Duration) -> Feedback {
        wrapping {
            { effect in
                { state, event, run in
                    run.resume(after: delay) { try effect(state, event, $0) }
                    return .pending
                }
            }
        }
    }

    /// The same feedback, which calls its effect once no start has come for `interval` of the loop's clock.
    /// Each start replaces the one before, even where the strategy would not.
    ///
    /// A feedback with one run for the loop's life (`always`) is only delayed.
    public func debounce(for interval: Duration) -> Feedback {
        guard policy.whenBusy != .always else { return delay(for: interval) }
        let replacing = RunPolicy(
            policy.trigger, endsOnNone: policy.endsOnNone, endsOnNew: true, whenBusy: .replace)
        return remembering(policy: replacing) { $0 }.delay(for: interval)
    }

    /// The same feedback, which calls its effect at most once in any `interval` of the loop's clock. A start
    /// that comes too early waits for the rest of the interval.
    ///
    /// The strategy decides about an earlier start that still waits. Under the cancelling strategies a newer
    /// start replaces it; under the others both come in turn.
    public func throttle(for interval: Duration) -> Feedback {
        wrapping {
            let gate = ThrottleGate(interval: interval)
            return { effect in
                { state, event, run in try gate.call(run) { try effect(state, event, $0) } }
            }
        }
    }

    /// The same feedback, whose run fails with `EffectTimeout` when it has not ended `limit` after the call
    /// of its effect, by the loop's clock.
    ///
    /// The effect is cancelled then and its run has ended, even if the effect ignores that. Later emissions
    /// are late, and `Loop.ended` does not wait for the effect. The timeout does not interrupt a call. A call
    /// on the loop's executor has returned before the timeout can act. A call on another executor keeps the
    /// feedback busy until it returns; without a `catch` the failure is reported only then.
    public func timeout(after limit: Duration) -> Feedback {
        wrapping {
            { effect in
                { state, event, run in try run.timeout(after: limit) { try effect(state, event, $0) } }
            }
        }
    }

    /// The same feedback, which calls an effect that fails again, within the same run, up to `times` times.
    /// - Parameters:
    ///   - times: The number of further calls before the failure counts.
    ///   - delay: The time to wait, by the loop's clock, before attempt number 1, 2, …. If it is zero, the
    ///     attempt follows the current step.
    public func retry(
        _ times: Int, delay: @escaping @Sendable (_ attempt: Int) -> Duration = { _ in .zero }
    ) -> Feedback {
        wrapping {
            { effect in
                { state, event, run in try run.retry(times, delay: delay) { try effect(state, event, $0) } }
            }
        }
    }

    /// A feedback that emits an event when a condition has held for a while: a delayed transition.
    /// - Parameters:
    ///   - delay: The time by the loop's clock, from the first state for which the condition is true.
    ///   - condition: A state for which it is false withdraws the event, emitted or not, unless it is reduced
    ///     already. Once emitted, the event is repeated only after the condition was false.
    ///   - event: Makes the event when the time has come.
    public static func after(
        _ name: String = "", _ delay: Duration, while condition: @escaping @Sendable (State) throws -> Bool,
        emit event: @escaping @Sendable () -> Event
    ) -> Feedback {
        after(
            name, request: { try condition($0) ? true : nil }, delay: { _ in delay }, emit: { _ in event() })
    }

    /// A feedback that emits an event some time after a state has requested it, where the request says how long.
    ///
    /// A program that saves its state keeps the time when a delay ends in it, and returns what is left of it here. Then a
    /// loop that starts from the saved state waits for the rest.
    /// - Parameters:
    ///   - request: Returns the request, or nil. A state with another request, or none, withdraws the event, emitted or
    ///     not, unless it is reduced already. An equal request changes nothing.
    ///   - delay: Returns the time to wait, by the loop's clock; zero or less is no wait. Called once for each request.
    ///   - event: Makes the event when the time has come.
    public static func after<Request: Equatable & Sendable>(
        _ name: String = "", request: @escaping @Sendable (State) throws -> Request?,
        delay: @escaping @Sendable (Request) throws -> Duration,
        emit event: @escaping @Sendable (Request) -> Event
    ) -> Feedback {
        onChange(
            name, request: request,
            run: { request, run in
                run.resume(after: try delay(request)) { run in
                    run.emit(event(request))
                    return .finished
                }
                return .pending
            })
    }
}

/// The instant from which a throttled effect may be called next.
private final class ThrottleGate: Sendable {
    private let interval: Duration
    private let next = Lock<LoopInstant?>(nil)

    init(interval: Duration) {
        self.interval = interval
    }

    func call<Event>(
        _ run: Run<Event>, _ effect: @escaping @Sendable (Run<Event>) throws -> EffectStatus
    ) throws -> EffectStatus {
        let now = run.clock.now
        let wait = next.withLock { next -> Duration? in
            if let next, now < next { return now.duration(to: next) }
            next = now.advanced(by: interval)
            return nil
        }
        guard let wait else { return try effect(run) }
        run.resume(after: wait) { try self.call($0, effect) }
        return .pending
    }
}
