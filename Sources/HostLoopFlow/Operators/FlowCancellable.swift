import HostLoop

/// The sink of `cancellable(id:)`.
// Safe because it adds an immutable property only.
final class FlowCancellable<Value: Sendable>: FlowStage<Value, Value>, @unchecked Sendable {
    private let outlet: FlowOutlet<Value>

    init(_ output: FlowSink<Value>) {
        outlet = FlowOutlet(output)
        super.init(output, scope: output.scope.makeChild())
    }

    /// Registers the subscription under the id until it ends.
    func register(_ id: CancellationIDs.ID, in ids: CancellationIDs) {
        let ticket = ids.add(id) { self.cancel() }
        scope.onCancel { ids.remove(ticket) }
    }

    override func receive(_ value: Value) -> EmitResult {
        outlet.emit(value)
    }

    override nonisolated(nonsending) func receiveWhenRoom(_ value: Value) async -> EmitResult {
        await outlet.send(value)
    }

    override func complete(_ error: (any Error)?) {
        scope.cancel()
        outlet.end(error)
    }

    private func cancel() {
        if close() { complete(nil) }
    }
}
