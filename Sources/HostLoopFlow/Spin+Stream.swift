public import HostLoop

extension Spin {
    /// A flow of the states of a loop.
    ///
    /// Each subscription starts its own loop and receives every state, the initial one first. A subscriber
    /// receives a state before the feedbacks of that state run. The end of the subscription stops the loop.
    /// The flow completes when the loop stops. On `LoopExecutor.caller`, the loop runs during the call that
    /// subscribes, until it would have to wait.
    public var stream: Flow<State> {
        Flow { sink in
            let loop = makeLoop(observers: [StreamObserver<State, Event>(sink)])
            // This precedes `begin`, because a loop on the caller's thread may run there until it is stopped.
            sink.onCancel { loop.stop() }
            loop.begin()
        }
    }
}

/// The observer that emits the states of a loop into a flow.
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

    /// The handled events from the subscription on, each once: for values that a view shows once beside the states, such
    /// as an alert. It never completes.
    ///
    /// The draining thread delivers an event after its state, before the effects of that state. Later subscribers do not
    /// get it.
    public var events: Flow<Event> { source.events.flow }
}
