/// The result of a reducer for one event.
public enum ReducerOutcome<State: Sendable>: Sendable {
    /// The event was handled; the new state may equal the old one.
    case newState(State)
    /// The event was not handled.
    case unhandled
    /// The reducer threw.
    case failed(any Error)
}

extension Reducer {
    /// Reduces `event` in `state` on the calling thread, without a loop.
    public func outcome(of event: Event, in state: State) -> ReducerOutcome<State> {
        var next = state
        do {
            return try body(&next, event) ? .newState(next) : .unhandled
        } catch {
            return .failed(error)
        }
    }
}
