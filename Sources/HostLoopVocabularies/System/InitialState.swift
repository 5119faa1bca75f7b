/// The state that each loop of a system begins with.
public struct InitialState: Sendable {
    /// The state.
    public let value: any State

    /// Takes the state that `value` makes, at once.
    public init(_ value: () -> any State) {
        self.value = value()
    }
}
