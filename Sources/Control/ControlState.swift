/// A state of a loop, for clients that watch it.
public struct ControlState: Sendable {
    /// The loop's index.
    public let loop: Int
    /// The number of the step that led to the state.
    public let step: UInt64
    /// The line for the clients.
    public let line: String

    /// A state and its line.
    public init(loop: Int, step: UInt64, line: String) {
        (self.loop, self.step, self.line) = (loop, step, line)
    }
}
