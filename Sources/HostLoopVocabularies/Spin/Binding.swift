/// Access to a part of a state, for a control that shows and changes it.
///
/// To set it emits an event. `get` returns the new value when the loop has handled that.
@propertyWrapper
public struct Binding<Value>: Sendable {
    /// Returns the current value, from any thread.
    public let get: @Sendable () -> Value
    /// Accepts a new value, from any thread.
    public let set: @Sendable (Value) -> Void

    /// Makes a binding of two functions.
    public init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) {
        self.get = get
        self.set = set
    }

    /// The current value.
    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }

    /// The binding itself: `$name` of `@Binding var name`.
    public var projectedValue: Binding { self }
}
