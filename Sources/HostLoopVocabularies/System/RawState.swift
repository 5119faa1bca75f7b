/// What a `UISystem` without a view state publishes: the system's state itself.
public struct RawState: State {
    /// The state.
    public let state: any State

    /// Wraps a state.
    public init(state: any State) {
        self.state = state
    }
}
