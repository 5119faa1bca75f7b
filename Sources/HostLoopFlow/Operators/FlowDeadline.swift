import HostLoop

/// The sink of `timeout`.
///
/// A new value only moves the due time. If the timer fires before that time, the sink sets it again.
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
        timer.set(at: due.withLock { $0 }) { self.checkDue() }
    }

    override func receive(_ value: Value) -> EmitResult {
        moveDue()
        return outlet.emit(value)
    }

    override nonisolated(nonsending) func receiveWhenRoom(_ value: Value) async -> EmitResult {
        moveDue()
        return await outlet.send(value)
    }

    override func complete(_ error: (any Error)?) {
        outlet.end(error)
    }

    private func moveDue() {
        due.exchange(clock.now.advanced(by: duration))
    }

    private func checkDue() {
        guard due.withLock({ $0 }) <= clock.now else { return begin() }
        if close() { outlet.end(FlowTimeout(duration: duration)) }
    }
}
