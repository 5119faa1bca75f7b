/// A type of state with a value at hand, so that transitions which depend on the state can be described.
///
/// `From(T.self) { state in … }` declares what its closure answers for one state. Without a value of `T` that
/// is known only when the loop runs; with one, `Transitions.table` holds what is declared for that value.
public protocol Instantiable {
    /// Any value of the type.
    static var instance: Self { get }
}
