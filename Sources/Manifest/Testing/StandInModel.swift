public import Records

/// What stands in for the effect of a feedback in a test: `tests.effects.NAME`.
public struct StandInModel: Sendable {
    /// What a call answers.
    public enum Answer: Sendable {
        /// Of an effect that returns: fields of a record of the call's `CallSignature.outcome`; the others are zero or
        /// empty.
        case outcome([Assignment])
        /// Of an effect that emits: what happens before it is done, in order.
        case emissions([Emission])
    }

    /// What an effect that emits does.
    public enum Emission: Sendable {
        /// It emits by this name (`EmissionBatch.emitter`) a payload of this type with these fields.
        case payload(emitter: String, type: RecordType, [Assignment])
        /// It fails with these fields of `FailureRecord.type`.
        case failure([Assignment])
    }

    /// The feedback, as an index into `LoopModel.feedbacks`. It has an effect, and is not disabled.
    public let feedback: Int
    /// One for each of the feedback's variants, in their order.
    public let answers: [Answer]

    /// What stands in for the effect of one feedback.
    public init(feedback: Int, answers: [Answer]) { (self.feedback, self.answers) = (feedback, answers) }
}
