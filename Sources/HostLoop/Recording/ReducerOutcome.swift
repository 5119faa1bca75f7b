/// What a reducer makes of one event.
public enum ReducerOutcome<State: Sendable>: Sendable {
    /// The event was handled; the state may equal the one before.
    case newState(State)
    /// The event was not handled.
    case unhandled
    /// The reducer threw.
    case failed(any Error)
}

extension Reducer {
    /// What the reducer makes of `event` in `state`, without a loop; on the calling thread.
    public func outcome(of event: Event, in state: State) -> ReducerOutcome<State> {
        var next = state
        do {
            return try body(&next, event) ? .newState(next) : .unhandled
        } catch {
            return .failed(error)
        }
    }
}
