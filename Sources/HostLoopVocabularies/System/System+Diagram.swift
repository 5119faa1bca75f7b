public import HostLoop

extension System {
    /// Draws what is known of the transitions, from the initial state on; see
    /// `TransitionTable.diagram(as:initialState:)`. `spin` draws the feedbacks.
    public func diagram(as format: DiagramFormat) -> String {
        transitions.diagram(as: format, initialState: type(of: initialState.value))
    }
}
