import HostLoop

/// What a transforming operator makes of a value.
enum FlowStep<Output: Sendable>: Sendable {
    case value(Output)
    /// The value, and the end of the flow.
    case last(Output)
    /// The end of the flow.
    case end
    case nothing
}

/// The sink of an operator that makes at most one value of each, at once.
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
    /// A flow of what `makeStep`'s function, made anew for each subscription, makes of the values.
    func transformed<Output>(
        _ makeStep: @escaping @Sendable () -> FlowTransform<Value, Output>.Step
    ) -> Flow<Output> {
        Flow<Output> { start(FlowTransform($0, step: makeStep())) }
    }
}
