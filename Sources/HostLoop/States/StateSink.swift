/// The observer that fills a stream of states.
final class StateSink<State: Sendable, Event: Sendable>: LoopObserver {
    private let continuation: AsyncStream<State>.Continuation

    init(_ continuation: AsyncStream<State>.Continuation) {
        self.continuation = continuation
    }

    func started(_ state: State) { continuation.yield(state) }
    func stepped(_ step: LoopStep<State, Event>) { continuation.yield(step.after) }
    func stopped(_ reason: StopReason) { continuation.finish() }
}
