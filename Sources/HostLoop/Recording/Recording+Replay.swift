extension Recording {
    /// Reduces the recorded events again, from the initial state on.
    /// - Parameters:
    ///   - reducer: The reducer to compare with the recorded one; called on the calling thread.
    ///   - isEqual: Returns whether a recorded state and a new state are equal.
    /// - Returns: the first difference from the recorded outcomes; nil if there is none.
    public func replay(
        with reducer: Reducer<State, Event>, isEqual: (State, State) -> Bool
    ) -> ReplayDifference<State, Event>? {
        var state = initialState
        for (index, entry) in entries.enumerated() {
            let outcome = reducer.outcome(of: entry.event, in: state)
            switch (entry.state, outcome) {
            case (let expected?, .newState(let next)) where isEqual(expected, next): state = next
            case (nil, .unhandled): break
            default:
                return ReplayDifference(
                    index: index, event: entry.event, before: state,
                    expected: entry.state.map { .newState($0) } ?? .unhandled, actual: outcome)
            }
        }
        return nil
    }
}

extension Recording where State: Equatable {
    /// Reduces the recorded events again, from the initial state on, and compares the states with `==`.
    /// - Parameter reducer: The reducer to compare with the recorded one; called on the calling thread.
    /// - Returns: the first difference from the recorded outcomes; nil if there is none.
    public func replay(with reducer: Reducer<State, Event>) -> ReplayDifference<State, Event>? {
        replay(with: reducer) { $0 == $1 }
    }
}
