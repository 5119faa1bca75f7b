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

extension Loop {
    /// The states of this running loop from the subscription on: the current one, then each new one, equal to the one
    /// before or not. It completes when the loop stops.
    ///
    /// The draining thread delivers them, after the feedbacks of that state. A subscription does not keep the loop
    /// running; the flow does. `states(buffering:)` is the same for `for await`.
    public var stream: Flow<State> {
        Flow { sink in sink.onCancel(self.follow({ sink.emit($0) }, finish: { sink.finish() })) }
    }
}

extension ObservableLoop {
    /// The states from the subscription on: the current one, then each new one, equal to the one before or not. A later
    /// `start()` continues with its initial state. It never completes.
    ///
    /// The draining thread delivers them, before the effects of that state. Neither the flow nor a subscription keeps
    /// the loop running.
    public var stream: Flow<State> { source.states.flow }
}
