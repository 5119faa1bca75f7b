/// Two requests of one state have the same key: a fault of the trigger of `Feedback.onEach`.
public struct DuplicateKey: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key, as text.
    public var key: String

    /// Makes the error for a key.
    public init(_ key: some Any) {
        self.key = String(describing: key)
    }

    /// A sentence that names the key.
    public var description: String { "two requests have the same key: \(key)" }
}
