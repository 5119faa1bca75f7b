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

/// What a call of an effect says of its run when it returns.
public enum EffectStatus: Sendable, Hashable {
    /// The run has nothing more to do and emits nothing more.
    case finished
    /// The run goes on elsewhere and ends with exactly one `Run.finish()` or `Run.fail(_:)`, from any thread,
    /// also after it was cancelled.
    case pending
}

/// What a run fails with that did not end in time.
public struct EffectTimeout: Error, Hashable, CustomStringConvertible {
    /// The time that it was given.
    public let limit: Duration

    /// Makes the failure of a run that was given `limit`.
    public init(limit: Duration) {
        self.limit = limit
    }

    /// For people: the limit in seconds.
    public var description: String { "the effect did not end within \(limit)" }
}
