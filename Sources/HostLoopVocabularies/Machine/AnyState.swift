/// Stands for every type of state: `From(AnyState.self) { On(Refresh.self, transitionTo: Loading()) }`.
///
/// What it declares is asked last, when the transitions of the state's own type do not handle the event.
public struct AnyState: State, Instantiable {
    /// The value that a closure of `From(AnyState.self)` is given when its transitions are described.
    public static let instance = AnyState()
}
