/// A view state with a value for the time before the first real one was made.
public protocol CanBeUndefined {
    /// What is shown before the system runs.
    static var undefined: Self { get }
}
