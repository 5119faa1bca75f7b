/// The sink of an operator: takes values of one type and hands values of another one to `output`.
// Safe because it and its subclasses have immutable properties, atomics and locks only.
class FlowStage<Input: Sendable, Output: Sendable>: FlowSink<Input>, @unchecked Sendable {
    final let output: FlowSink<Output>

    /// - Parameter scope: that of the source, when it differs from that of `output`.
    init(_ output: FlowSink<Output>, scope: FlowScope? = nil) {
        self.output = output
        super.init(scope: scope ?? output.scope)
    }

    override final var isCancelled: Bool { scope.isCancelled || output.isCancelled }

    override func complete(_ error: (any Error)?) {
        output.end(error)
    }
}
