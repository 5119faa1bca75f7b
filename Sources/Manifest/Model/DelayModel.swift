/// When a delayed transition is due: `[loops.X.after]`.
public struct DelayModel: Hashable, Sendable {
    /// The case that the time is spent in, as an index into the cases of `LoopModel.stateType`. It begins when the case is
    /// entered, anew when it is entered again, and ends when the case is left.
    public let stateCase: Int
    /// How long.
    public let duration: Duration

    /// So long in one case.
    public init(stateCase: Int, duration: Duration) {
        (self.stateCase, self.duration) = (stateCase, duration)
    }
}
