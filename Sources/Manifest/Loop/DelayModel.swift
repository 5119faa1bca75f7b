public import Records

/// The time at which a delayed transition is due: `[loops.X.after]`.
public struct DelayModel: Hashable, Sendable {
    /// The case, as an index into the cases of `LoopModel.stateType`. The time starts when the loop enters
    /// the case, starts again when the loop enters it again, and ends when the loop enters another case.
    public let stateCase: Int
    /// The time that the case must last.
    public let duration: Duration

    /// The payload type of its event: `delay`, which identifies the delay among those of one case.
    public static let payload = RecordType([("delay", .duration)])

    /// A delay of `duration` in one case.
    public init(stateCase: Int, duration: Duration) {
        (self.stateCase, self.duration) = (stateCase, duration)
    }

    /// The payload of its event.
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
