/// Names one run of a feedback.
public struct EffectRun: Sendable, Hashable, Codable {
    /// The name of the feedback.
    public var feedback: String
    /// The index of the feedback in the order of declaration, from 0.
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

/// The state of a run after a call of its effect has returned.
public enum EffectStatus: Sendable, Hashable {
    /// The run has nothing more to do and emits nothing more.
    case finished
    /// The run continues elsewhere and must end with exactly one `Run.finish()` or `Run.fail(_:)`. Any thread
    /// may call these. A cancelled run must end in this way, too.
    case pending
}

/// The failure of a run that did not end in time.
public struct EffectTimeout: Error, Hashable, CustomStringConvertible {
    /// The time limit of the run.
    public let limit: Duration

    /// Makes the failure of a run with this limit.
    public init(limit: Duration) {
        self.limit = limit
    }

    /// For people: the limit in seconds.
    public var description: String { "the effect did not end within \(limit)" }
}
