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
