import HostLoop

/// Sources and operators that use the clock of the subscription. They emit values one at a time, on that
/// clock's thread or on the thread where the source emits. Their timers end with the subscription.
extension Flow {
    /// A flow that emits one value after `delay` and completes.
    public static func timer(after delay: Duration, _ value: Value) -> Flow {
        Flow { sink in
            let timer = FlowTimer(sink.scope)
            timer.set(at: sink.clock.now.advanced(by: delay)) {
                sink.emit(value)
                sink.finish()
            }
        }
    }

    /// A flow that emits `value` after every `interval` and never completes.
    ///
    /// The source computes each instant from the previous instant, so a late call does not delay later ones.
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

    /// Delays each value and the completion, a failure included, by `duration`; keeps the order.
    ///
    /// It buffers the delayed values. A source that calls `send` does not wait.
    public func delay(for duration: Duration) -> Flow {
        Flow { start(FlowDelay($0, by: duration)) }
    }

    /// Debounces: emits a value when no other value has followed it for `duration`.
    ///
    /// If a value still waits when the source finishes, the flow emits it at once. A failure drops it.
    public func debounce(for duration: Duration) -> Flow {
        Flow { start(FlowDebounce($0, for: duration)) }
    }

    /// Throttles: emits at most one value in each `duration`.
    ///
    /// The first value is emitted at once and opens a window of `duration`. At the end of a window, the flow
    /// emits one of the values that came in it, and opens the next window. If none came, no window is open,
    /// and the next value is emitted at once.
    ///
    /// If a value still waits when the source finishes, the flow emits it at once. A failure drops it.
    /// - Parameter latest: Whether the flow emits the newest value of a window. Otherwise it emits the first.
    public func throttle(for duration: Duration, latest: Bool = true) -> Flow {
        Flow { start(FlowThrottle($0, for: duration, latest: latest)) }
    }

    /// Fails with `FlowTimeout` and cancels the source when no value has come for `duration`. The time
    /// counts from the subscription or the previous value.
    public func timeout(after duration: Duration) -> Flow {
        Flow { output in
            let sink = FlowDeadline(output, after: duration)
            sink.begin()
            start(sink)
        }
    }
}

/// The failure of a flow that emitted no value in time.
public struct FlowTimeout: Error, Hashable, CustomStringConvertible {
    /// How long the flow emitted no value.
    public var duration: Duration

    /// Makes the failure.
    public init(duration: Duration) {
        self.duration = duration
    }

    /// A sentence that names the duration.
    public var description: String { "the flow emitted no value for \(duration)" }
}
