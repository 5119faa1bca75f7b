/// A state of a loop, as those are told who watch it.
public struct ControlState: Sendable {
    /// The loop, by its index.
    public let loop: Int
    /// The number of the state.
    public let step: UInt64
    /// What is written.
    public let line: String

    /// A state.
    public init(loop: Int, step: UInt64, line: String) {
        (self.loop, self.step, self.line) = (loop, step, line)
    }
}
