import HostLoop

extension Flow {
    /// A flow that, when this one fails, goes on with the flow that `recover` makes of the failure.
    ///
    /// What `recover` throws, and a failure of the flow that it made, fail the flow.
    public func `catch`(_ recover: @escaping @Sendable (any Error) throws -> Flow) -> Flow {
        Flow { output in
            let hasRecovered = Lock(false)
            let series = FlowSeries(output) { error in
                guard let error, !hasRecovered.exchange(true) else { return .end(error) }
                do { return .flow(try recover(error)) } catch { return .end(error) }
            }
            series.start(self)
        }
    }

    /// A flow that hands over `value` and completes when this one fails.
    public func replaceError(with value: Value) -> Flow {
        self.catch { _ in .just(value) }
    }

    /// A flow that subscribes to this one again when it fails, at most `times` times; then it fails with the
    /// last failure.
    /// - Parameters:
    ///   - times: How often to try again.
    ///   - delay: How long to wait before another attempt, on the clock of the subscription; gets its number,
    ///     from 1. No delay means at once.
    public func retry(
        _ times: Int, delay: @escaping @Sendable (Int) -> Duration = { _ in .zero }
    ) -> Flow {
        precondition(times >= 0, "attempts are counted from zero")
        return Flow { output in
            let attempt = Lock(0)
            let series = FlowSeries(output) { error in
                let attempt = attempt.withLock { attempt in
                    attempt += 1
                    return attempt
                }
                guard error != nil, attempt <= times else { return .end(error) }
                return .flow(self, after: delay(attempt))
            }
            series.start(self)
        }
    }
}
