public import Records

/// A state of a loop, for clients that watch it.
public struct ControlState: Sendable {
    /// The loop's index.
    public let loop: Int
    /// The key of the instance; nil for a loop without a key.
    public let key: Value?
    /// The number of the step that led to the state.
    public let step: UInt64
    /// The line for the clients.
    public let line: String

    /// A state and its line.
    public init(loop: Int, key: Value? = nil, step: UInt64, line: String) {
        (self.loop, self.key, self.step, self.line) = (loop, key, step, line)
    }
}
