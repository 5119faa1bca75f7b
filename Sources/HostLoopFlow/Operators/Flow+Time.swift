import HostLoop

/// Sources and operators that take their time from the clock of the subscription. They hand values over on
/// that clock's thread, or where the source emits, one at a time. Their timers end with the subscription.
extension Flow {
    /// A flow of one value, after `delay`.
    public static func timer(after delay: Duration, _ value: Value) -> Flow {
        Flow { sink in
            let timer = FlowTimer(sink.scope)
            timer.set(at: sink.clock.now.advanced(by: delay)) {
                sink.emit(value)
                sink.finish()
            }
        }
    }

    /// A flow that emits `value` again and again, first after one `interval`, and never completes.
    ///
    /// Each instant is reckoned from the one before, so that a late call delays none of those that follow.
    public static func every(_ interval: Duration, _ value: Value) -> Flow {
        precondition(interval > .zero, "a flow cannot emit at intervals of no length")
        return Flow { sink in
            let timer = FlowTimer(sink.scope)
            @Sendable func schedule(at instant: LoopInstant) {
                timer.set(at: instant) {
                    schedule(at: instant.advanced(by: interval))
                    sink.emit(value)
                }
            }
            schedule(at: sink.clock.now.advanced(by: interval))
        }
    }

    /// A flow in which everything comes `duration` later: each value, in order, and the completion, with or
    /// without a failure. It buffers what is on its way; `send` does not wait.
    public func delay(for duration: Duration) -> Flow {
        Flow { start(FlowDelay($0, by: duration)) }
    }

    /// A flow of the values after which none came for `duration`.
    ///
    /// A value that still waits when the source finishes is handed over at once; a failure drops it.
    public func debounce(for duration: Duration) -> Flow {
        Flow { start(FlowDebounce($0, for: duration)) }
    }

    /// A flow of at most one value in each `duration`: a value is handed over at once if none was for so
    /// long, else one of those that come meanwhile at the end of the duration.
    ///
    /// A value that still waits when the source finishes is handed over at once; a failure drops it.
    /// - Parameter latest: Whether that is the newest of them; else it is the first.
    public func throttle(for duration: Duration, latest: Bool = true) -> Flow {
        Flow { start(FlowThrottle($0, for: duration, latest: latest)) }
    }

    /// A flow that fails with `FlowTimeout` when no value has come for `duration` since the subscription or
    /// the value before, and cancels its source then.
    public func timeout(after duration: Duration) -> Flow {
        Flow { output in
            let sink = FlowDeadline(output, after: duration)
            sink.begin()
            start(sink)
        }
    }
}
