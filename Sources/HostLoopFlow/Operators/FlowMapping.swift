import HostLoop

/// The sink of `flatMap` and `flatMapLatest`: each value starts a flow.
// Safe because it adds immutable properties and a lock only.
final class FlowMapping<Input: Sendable, Output: Sendable>: FlowStage<Input, Output>, @unchecked Sendable {
    private let join: FlowJoin<Output>
    private let transform: @Sendable (Input) throws -> Flow<Output>
    private let replaces: Bool
    /// The newest flow; nil unless a new flow replaces the previous one.
    private let newest = Lock<FlowBranch<Output>?>(nil)

    init(
        _ output: FlowSink<Output>, replaces: Bool,
        transform: @escaping @Sendable (Input) throws -> Flow<Output>
    ) {
        join = FlowJoin(output)
        self.transform = transform
        self.replaces = replaces
        super.init(output, scope: output.scope.makeChild())
    }

    override func receive(_ value: Input) -> EmitResult {
        do {
            let flow = try transform(value)
            let branch = join.add()
            if replaces { newest.exchange(branch)?.replace() }
            flow.start(branch)
            return isCancelled ? .cancelled : .queued
        } catch {
            if close() { complete(error) }
            return .cancelled
        }
    }

    override func complete(_ error: (any Error)?) {
        scope.cancel()
        join.completeOne(error)
    }
}
