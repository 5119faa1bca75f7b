import HostLoop

extension Flow {
    /// Recovers from a failure: when this flow fails, continues with the flow that `recover` makes of it.
    ///
    /// An error that `recover` throws fails the flow. So does a failure of the flow that `recover` made.
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

    /// Emits `value` and completes when this flow fails.
    public func replaceError(with value: Value) -> Flow {
        self.catch { _ in .just(value) }
    }

    /// Retries: subscribes to this flow again when it fails, at most `times` times. Then it fails with the
    /// last failure.
    /// - Parameters:
    ///   - times: The largest number of retries, from 0.
    ///   - delay: Returns how long to wait before a retry, on the clock of the subscription. Its argument is
    ///     the number of the retry, from 1. A zero or negative delay means at once.
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
