import HostLoop
import Synchronization

/// Where several flows come together: completes after the last of them, fails with the first failure.
final class FlowJoin<Value: Sendable>: Sendable {
    let outlet: FlowOutlet<Value>
    /// Flows that have not completed; the one that brings the others is counted.
    private let open = Atomic<Int>(1)

    init(_ output: FlowSink<Value>) {
        outlet = FlowOutlet(output)
    }

    func add() -> FlowBranch<Value> {
        open.add(1, ordering: .relaxed)
        return FlowBranch(self)
    }

    func completeOne(_ error: (any Error)?) {
        let left = open.subtract(1, ordering: .acquiringAndReleasing).newValue
        if error != nil || left == 0 { outlet.end(error) }
    }
}

/// One of the flows that come together.
// Safe because it adds an immutable property and an atomic only.
final class FlowBranch<Value: Sendable>: FlowStage<Value, Value>, @unchecked Sendable {
    private let join: FlowJoin<Value>
    private let replaced = Atomic<Bool>(false)

    fileprivate init(_ join: FlowJoin<Value>) {
        self.join = join
        let output = join.outlet.output
        super.init(output, scope: output.scope.within())
    }

    var isReplaced: Bool { replaced.load(ordering: .acquiring) }

    /// Cancels the flow; what it has emitted and was not handed over yet is dropped.
    func replace() {
        replaced.store(true, ordering: .releasing)
        guard close() else { return }
        scope.cancel()
        join.completeOne(nil)
    }

    override func receive(_ value: Value) -> EmitResult {
        join.outlet.emit(value, from: self)
    }

    override nonisolated(nonsending) func receiveWhenRoom(_ value: Value) async -> EmitResult {
        await join.outlet.send(value, from: self)
    }

    override func complete(_ error: (any Error)?) {
        scope.cancel()
        join.completeOne(error)
    }
}
