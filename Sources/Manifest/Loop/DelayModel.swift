public import Records

/// When a delayed transition is due: `[loops.X.after]`.
public struct DelayModel: Hashable, Sendable {
    /// The case that the time is spent in, as an index into the cases of `LoopModel.stateType`. It begins when the case is
    /// entered, anew when it is entered again, and ends when the case is left.
    public let stateCase: Int
    /// How long.
    public let duration: Duration

    /// The payload of its event: `delay`, which tells several of one case apart.
    public static let payload = RecordType([("delay", .duration)])

    /// So long in one case.
    public init(stateCase: Int, duration: Duration) {
        (self.stateCase, self.duration) = (stateCase, duration)
    }

    /// The payload of its event, whenever that is due.
    public var event: Record {
        var record = Record(Self.payload)
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        do { try record.set("delay", to: .duration(nanoseconds: nanoseconds)) } catch {
            preconditionFailure("a delay is a duration of the manifest: \(error)")
        }
        return record
    }
}
