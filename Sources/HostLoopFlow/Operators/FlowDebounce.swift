import HostLoop

/// The sink of `debounce`.
///
/// A new value only moves the due time. If the timer fires before that time, the sink sets it again.
// Safe because it adds immutable properties and a lock only.
final class FlowDebounce<Value: Sendable>: FlowStage<Value, Value>, @unchecked Sendable {
    private struct Wait: Sendable {
        var value: Value?
        var due = LoopInstant(nanoseconds: .min)
        var isSet = false
    }

    private let duration: Duration
    private let outlet: FlowOutlet<Value>
    private let timer: FlowTimer
    private let wait = Lock(Wait())

    init(_ output: FlowSink<Value>, for duration: Duration) {
        self.duration = duration
        outlet = FlowOutlet(output)
        timer = FlowTimer(output.scope)
        super.init(output)
    }

    override func receive(_ value: Value) -> EmitResult {
        guard !isCancelled else { return .cancelled }
        let due = clock.now.advanced(by: duration)
        let (sets, older) = wait.withLock { wait in
            defer { wait = Wait(value: value, due: due, isSet: true) }
            return (!wait.isSet, wait.value)
        }
        withExtendedLifetime(older) {}
        if sets { set(at: due) }
        return .queued
    }

    override func complete(_ error: (any Error)?) {
        timer.clear()
        outlet.emit {
            let value = self.wait.exchange(Wait(isSet: true)).value
            return error == nil ? value : nil
        }
        outlet.end(error)
    }

    private func set(at instant: LoopInstant) {
        timer.set(at: instant) { self.outlet.emit { self.popDue() } }
    }

    private func popDue() -> Value? {
        let now = clock.now
        let (value, due) = wait.withLock { wait -> (Value?, LoopInstant?) in
            if wait.value != nil, wait.due > now { return (nil, wait.due) }
            wait.isSet = false
            defer { wait.value = nil }
            return (wait.value, nil)
        }
        if let due { set(at: due) }
        return value
    }
}
