public import HostLoop

extension Spin {
    /// The states as a flow: each subscription starts a loop of its own and sees every state, the initial one
    /// first, before the feedbacks of that state run.
    ///
    /// The loop lasts as long as the subscription, or until it stops by itself, which completes the flow. On
    /// `LoopExecutor.caller` it runs within the subscription, as far as it comes without waiting.
    public var stream: Flow<State> {
        Flow { sink in
            let loop = makeLoop(observers: [StreamObserver<State, Event>(sink)])
            // Before it begins: on the caller's thread it may run until it is stopped.
            sink.onCancel { loop.stop() }
            loop.begin()
        }
    }
}

/// The observer that hands states to a flow.
private final class StreamObserver<State: Sendable, Event: Sendable>: LoopObserver {
    private let sink: FlowSink<State>

    init(_ sink: FlowSink<State>) {
        self.sink = sink
    }

    func started(_ state: State) { sink.emit(state) }
    func stepped(_ step: LoopStep<State, Event>) { sink.emit(step.after) }
    func stopped(_ reason: StopReason) { sink.finish() }
}
