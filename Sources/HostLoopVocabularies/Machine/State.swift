/// One state of a machine whose states are types: what it carries are the stored properties of the type.
///
/// The type itself is the identity that transitions and feedbacks look at; the original's `id` and
/// `instanceId` are not needed.
public protocol State: Sendable {}

/// One event of a machine whose events are types: what it carries are the stored properties of the type.
///
/// The type itself is the identity that transitions look at.
public protocol Event: Sendable {}

/// Stands for every type of state: `From(AnyState.self) { On(Refresh.self, transitionTo: Loading()) }`.
///
/// What it declares is asked last, when the transitions of the state's own type do not handle the event.
public struct AnyState: State, Instantiable {
    /// The value that a closure of `From(AnyState.self)` is given when its transitions are described.
    public static let instance = AnyState()
}

/// Stands for every type of event: `From(Failed.self) { On(AnyEvent.self, transitionTo: Loading()) }`.
///
/// It is asked when no transition for the event's own type applies. It has no values, and `Elapsed` is never
/// meant by it.
public enum AnyEvent: Event {}

/// A type of state with a value at hand, so that transitions which depend on the state can be described.
///
/// `From(T.self) { state in … }` declares what its closure answers for one state. Without a value of `T` that
/// is known only when the loop runs; with one, `Transitions.table` holds what is declared for that value.
public protocol Instantiable {
    /// Any value of the type.
    static var instance: Self { get }
}
