public import Records

/// A test double for the effect of a feedback: `tests.effects.NAME`.
public struct TestDoubleModel: Sendable {
    /// The answer to a call.
    public enum Answer: Sendable {
        /// For an effect that returns: fields of a record of the call's `CallSignature.outcome`. Other fields
        /// are zero or empty.
        case outcome([Assignment])
        /// For an effect that emits: its emissions, in order. Then the effect is done.
        case emissions([Emission])
    }

    /// One action of an effect that emits.
    public enum Emission: Sendable {
        /// It emits, under this name (`EmissionBatch.emitter`), a payload of this type with these fields.
        case payload(emitter: String, type: RecordType, [Assignment])
        /// It fails with these fields of `FailureRecord.type`.
        case failure([Assignment])
    }

    /// The feedback, as an index into `LoopModel.feedbacks`. It has an effect and is not disabled.
    public let feedback: Int
    /// One answer for each variant of the feedback, in their order.
    public let answers: [Answer]

    /// A test double for the effect of one feedback.
    public init(feedback: Int, answers: [Answer]) { (self.feedback, self.answers) = (feedback, answers) }
}
