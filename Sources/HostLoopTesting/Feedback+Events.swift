public import HostLoop
public import HostLoopFlow
import Synchronization

extension Feedback {
    /// The events that this feedback emits for given states: for a test of a feedback without a reducer.
    ///
    ///     let events = feedback.events(for: .of(.loading, .loaded))
    ///
    /// Each subscription runs the feedback in a loop of its own, on the thread that emits the states. The strategy of
    /// the feedback holds, and nothing reduces its events. Time is that of the subscription's clock. The flow completes
    /// when `states` has completed and no effect runs. With an effect that lasts as long as the loop, it does not
    /// complete. A failure of `states` fails the flow. The end of the subscription stops the loop.
    public func events(for states: Flow<State>) -> Flow<Event> {
        Flow { sink in
            let tested = onEventEmitted { sink.emit($0) }.scoped(
                state: { (state: State?) in state }, event: { (_: TestedStep<State>) in nil },
                embed: { _ in .event }, by: { _, _ in false })
            let reducer = Reducer<State?, TestedStep<State>> { state, step in
                guard case .state(let next) = step else { return false }
                state = next
                return true
            }
            let end = TestedEnd<State, Event>(sink)
            let loop = Spin(
                initialState: nil, reducer: reducer, feedbacks: [tested], executor: .caller, clock: sink.clock
            ).start(observers: [end])
            let subscription = states.sink(clock: sink.clock) { completion in
                if case .failure(let error) = completion { return sink.fail(error) }
                end.hasAllStates.store(true, ordering: .releasing)
                loop.emit(.end)
            } receiveValue: { state in
                loop.emit(.state(state))
            }
            sink.onCancel {
                subscription.cancel()
                loop.stop()
            }
        }
    }
}

/// An event of the loop that runs a tested feedback.
private enum TestedStep<State: Sendable>: Sendable {
    case state(State)
    /// Stands for an event of the feedback; not handled.
    case event
    /// All states have come; not handled.
    case end
}

/// Completes the events when all states have come and no effect runs.
private final class TestedEnd<State: Sendable, Event: Sendable>: LoopObserver {
    let hasAllStates = Atomic(false)
    private let sink: FlowSink<Event>

    init(_ sink: FlowSink<Event>) {
        self.sink = sink
    }

    func quiescent() {
        if hasAllStates.load(ordering: .acquiring) { sink.finish() }
    }

    func started(_ state: State?) {}
    func stepped(_ step: LoopStep<State?, TestedStep<State>>) {}
}
