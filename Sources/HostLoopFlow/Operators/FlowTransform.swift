import HostLoop

/// The result of a transforming operator for one value.
enum FlowStep<Output: Sendable>: Sendable {
    case value(Output)
    /// This value is the last one: the flow completes after it.
    case last(Output)
    /// The end of the flow.
    case end
    case nothing
}

/// The sink of an operator that makes at most one value of each value, synchronously.
// Safe because it adds immutable properties only.
final class FlowTransform<Input: Sendable, Output: Sendable>: FlowStage<Input, Output>, @unchecked Sendable {
    typealias Step = @Sendable (Input) throws -> FlowStep<Output>

    private let step: Step

    init(_ output: FlowSink<Output>, step: @escaping Step) {
        self.step = step
        super.init(output)
    }

    override func receive(_ value: Input) -> EmitResult {
        guard let (made, isLast) = make(value) else { return dropped }
        let result = output.emit(made)
        if isLast { output.finish() }
        return result
    }

    override nonisolated(nonsending) func receiveWhenRoom(_ value: Input) async -> EmitResult {
        guard let (made, isLast) = make(value) else { return dropped }
        let result = await output.send(made)
        if isLast { output.finish() }
        return result
    }

    private var dropped: EmitResult { isCancelled ? .cancelled : .queued }

    private func make(_ value: Input) -> (value: Output, isLast: Bool)? {
        do {
            switch try step(value) {
            case .value(let made): return (made, false)
            case .last(let made): return (made, close())
            case .end: if close() { output.finish() }
            case .nothing: break
            }
            return nil
        } catch {
            if close() { output.fail(error) }
            return nil
        }
    }
}

extension Flow {
    /// Transforms each value with a function. Each subscription calls `makeStep` for its own function.
    func transformed<Output>(
        _ makeStep: @escaping @Sendable () -> FlowTransform<Value, Output>.Step
    ) -> Flow<Output> {
        Flow<Output> { start(FlowTransform($0, step: makeStep())) }
    }
}
