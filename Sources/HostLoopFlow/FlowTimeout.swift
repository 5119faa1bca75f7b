/// What a flow fails with that emitted nothing for too long.
public struct FlowTimeout: Error, Hashable, CustomStringConvertible {
    /// How long no value came.
    public var duration: Duration

    /// Makes the failure.
    public init(duration: Duration) {
        self.duration = duration
    }

    /// A sentence that names the duration.
    public var description: String { "the flow emitted no value for \(duration)" }
}
