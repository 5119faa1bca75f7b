import HostLoop
import Synchronization

/// The merge point of several flows: completes after the last of them, and fails with the first failure.
final class FlowJoin<Value: Sendable>: Sendable {
    let outlet: FlowOutlet<Value>
    /// The number of flows that have not completed, including the flow that adds the others.
    private let open = Atomic<Int>(1)

    init(_ output: FlowSink<Value>) {
        outlet = FlowOutlet(output)
    }

    func add() -> FlowBranch<Value> {
        open.add(1, ordering: .relaxed)
        return FlowBranch(self)
    }

    func completeOne(_ error: (any Error)?) {
        let remaining = open.subtract(1, ordering: .acquiringAndReleasing).newValue
        if error != nil || remaining == 0 { outlet.end(error) }
    }
}

/// The sink of one of the merged flows.
// Safe because it adds an immutable property and an atomic only.
final class FlowBranch<Value: Sendable>: FlowStage<Value, Value>, @unchecked Sendable {
    private let join: FlowJoin<Value>
    private let replaced = Atomic<Bool>(false)

    fileprivate init(_ join: FlowJoin<Value>) {
        self.join = join
        let output = join.outlet.output
        super.init(output, scope: output.scope.makeChild())
    }

    var isReplaced: Bool { replaced.load(ordering: .acquiring) }

    /// Cancels the flow and drops the values that it emitted but that are not delivered yet.
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
