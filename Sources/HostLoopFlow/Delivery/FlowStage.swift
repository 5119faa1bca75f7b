/// The sink of an operator: receives values of one type and emits values of another type to `output`.
// Safe because it and its subclasses have immutable properties, atomics and locks only.
class FlowStage<Input: Sendable, Output: Sendable>: FlowSink<Input>, @unchecked Sendable {
    final let output: FlowSink<Output>

    /// - Parameter scope: The scope of the source; nil means the scope of `output`.
    init(_ output: FlowSink<Output>, scope: FlowScope? = nil) {
        self.output = output
        super.init(scope: scope ?? output.scope)
    }

    override final var isCancelled: Bool { scope.isCancelled || output.isCancelled }

    override func complete(_ error: (any Error)?) {
        output.end(error)
    }
}
