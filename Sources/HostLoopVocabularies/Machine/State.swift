/// A state of a machine whose states are types. Its values are the stored properties of the type.
///
/// Transitions and feedbacks identify a state by its type. The original's `id` and `instanceId` are not
/// needed.
public protocol State: Sendable {}

/// An event of a machine whose events are types. Its values are the stored properties of the type.
///
/// Transitions identify an event by its type.
public protocol Event: Sendable {}

/// Stands for every type of state: `From(AnyState.self) { On(Refresh.self, transitionTo: Loading()) }`.
///
/// Its transitions apply last: when those of the state's own type do not handle the event.
public struct AnyState: State, Instantiable {
    /// The argument of a closure of `From(AnyState.self)` when its transitions are described.
    public static let instance = AnyState()
}

/// Stands for every type of event: `From(Failed.self) { On(AnyEvent.self, transitionTo: Loading()) }`.
///
/// It applies when no transition for the event's own type does. It has no values, and does not stand for
/// `Elapsed`.
public enum AnyEvent: Event {}

/// A type of state with a known value, so that transitions which depend on the state can be described.
///
/// `From(T.self) { state in … }` declares the transitions that its closure returns for one state. Without a
/// value of `T` they are known only when the loop runs. With one, `Transitions.table` has those for that
/// value.
public protocol Instantiable {
    /// Any value of the type.
    static var instance: Self { get }
}
