/// Names one run of a feedback.
public struct EffectRun: Sendable, Hashable, Codable {
    /// The name of the feedback.
    public var feedback: String
    /// The place of the feedback in the order of declaration, from 0.
    public var index: Int
    /// The run's number among the runs of this feedback in this loop, from 1.
    public var number: UInt64

    /// Names run `number` of the feedback at `index`.
    @inlinable
    public init(feedback: String, index: Int, number: UInt64) {
        self.feedback = feedback
        self.index = index
        self.number = number
    }
}
