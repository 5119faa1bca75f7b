/// The failure of a flow that emitted no value in time.
public struct FlowTimeout: Error, Hashable, CustomStringConvertible {
    /// How long the flow emitted no value.
    public var duration: Duration

    /// Makes the failure.
    public init(duration: Duration) {
        self.duration = duration
    }

    /// A sentence that names the duration.
    public var description: String { "the flow emitted no value for \(duration)" }
}
