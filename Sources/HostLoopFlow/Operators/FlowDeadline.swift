import HostLoop

/// The sink of `timeout`. The timer is not set anew for each value: when it comes too early, it is set again.
// Safe because it adds immutable properties and a lock only.
final class FlowDeadline<Value: Sendable>: FlowStage<Value, Value>, @unchecked Sendable {
    private let duration: Duration
    private let outlet: FlowOutlet<Value>
    private let timer: FlowTimer
    private let due: Lock<LoopInstant>

    init(_ output: FlowSink<Value>, after duration: Duration) {
        self.duration = duration
        outlet = FlowOutlet(output)
        timer = FlowTimer(output.scope)
        due = Lock(output.clock.now.advanced(by: duration))
        super.init(output)
    }

    /// Sets the timer.
    func begin() {
        timer.set(at: due.withLock { $0 }) { self.look() }
    }

    override func receive(_ value: Value) -> EmitResult {
        note()
        return outlet.emit(value)
    }

    override nonisolated(nonsending) func receiveWhenRoom(_ value: Value) async -> EmitResult {
        note()
        return await outlet.send(value)
    }

    override func complete(_ error: (any Error)?) {
        outlet.end(error)
    }

    private func note() {
        due.exchange(clock.now.advanced(by: duration))
    }

    private func look() {
        guard due.withLock({ $0 }) <= clock.now else { return begin() }
        if close() { outlet.end(FlowTimeout(duration: duration)) }
    }
}
