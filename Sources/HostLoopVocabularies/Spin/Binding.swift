/// A value that is read here and written there: what a control is given to show and to change a part of a
/// state.
///
/// Setting it does not change what `get` answers by itself: that is the answer of the loop behind it.
@propertyWrapper
public struct Binding<Value>: Sendable {
    /// Answers the current value, from any thread.
    public let get: @Sendable () -> Value
    /// Takes a new value, from any thread.
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

    /// The binding itself: of `@Binding var name`, `$name`.
    public var projectedValue: Binding { self }
}
