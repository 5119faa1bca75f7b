extension Feedback {
    /// The same feedback with each run's effect called `delay` after the run's start, by the loop's clock,
    /// unless the run is ended before.
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

    /// The same feedback with its effect called once nothing has started it anew for `interval` of the loop's
    /// clock: each start replaces the one before, also where the strategy would not.
    ///
    /// A feedback with one run for the loop's life (`always`) is only delayed.
    public func debounce(for interval: Duration) -> Feedback {
        guard policy.whenBusy != .always else { return delay(for: interval) }
        let replacing = RunPolicy(
            policy.trigger, endsOnNone: policy.endsOnNone, endsOnNew: true, whenBusy: .replace)
        return remembering(policy: replacing) { $0 }.delay(for: interval)
    }

    /// The same feedback with its effect called at most once in any `interval` of the loop's clock: a start
    /// that comes too early waits for the rest of it.
    ///
    /// What becomes of an earlier start that still waits is what the strategy says: a newer one replaces it
    /// under the cancelling ones, both come in turn under the others.
    public func throttle(for interval: Duration) -> Feedback {
        wrapping {
            let gate = ThrottleGate(interval: interval)
            return { effect in
                { state, event, run in try gate.call(run) { try effect(state, event, $0) } }
            }
        }
    }

    /// The same feedback with each run failing with `EffectTimeout` when it has not ended `limit` after its
    /// effect was called, by the loop's clock.
    ///
    /// The effect is cancelled then and its run is over, whether it heeds that or not: what it emits afterwards
    /// is late, and `Loop.ended` does not wait for it. A call on the loop's executor is not interrupted: it has
    /// returned when anybody could look. One on another executor is not either, and keeps the feedback's place
    /// until it returns; without a `catch` the failure is told then.
    public func timeout(after limit: Duration) -> Feedback {
        wrapping {
            { effect in
                { state, event, run in try run.timeout(after: limit) { try effect(state, event, $0) } }
            }
        }
    }

    /// The same feedback with an effect that fails called again, within the same run, up to `times` times.
    /// - Parameters:
    ///   - times: How often it is called again before the failure counts.
    ///   - delay: How long to wait, by the loop's clock, before attempt number 1, 2, …; zero: not at all, the
    ///     attempt follows the step at hand.
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
    ///   - delay: By the loop's clock, from the first state of which the condition is true.
    ///   - condition: A state of which it is false takes the event back, emitted or not, unless it is
    ///     reduced; once emitted it is not repeated until the condition was false in between.
    ///   - event: Makes the event when the time has come.
    public static func after(
        _ name: String = "", _ delay: Duration, while condition: @escaping @Sendable (State) throws -> Bool,
        emit event: @escaping @Sendable () -> Event
    ) -> Feedback {
        onChange(
            name, request: { try condition($0) ? true : nil },
            run: { _, run in
                run.emit(event())
                return .finished
            }
        ).delay(for: delay)
    }
}

/// When a throttled effect may be called next.
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
