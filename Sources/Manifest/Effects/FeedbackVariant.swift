/// What a feedback evaluates. Payloads of different events, and states of different cases, lie differently in memory,
/// so a feedback may have one variant for each event and case that it runs for.
public struct FeedbackVariant: Sendable {
    /// The event that it is for, as an index into `LoopModel.events`; nil without `on`.
    public let event: Int?
    /// The case of the state that it is for, as an index into `RecordType.cases`; nil: any.
    public let `case`: Int?
    /// The feedback runs only when this holds, or always.
    public let condition: Condition?
    /// The items and their keys; nil unless the trigger is `FeedbackTrigger.each`.
    public let each: EachModel?
    /// The arguments in parameter order, out-parameters left out; empty without an effect.
    public let arguments: [ArgumentModel]
    /// The call has failed when this holds; nil: a call that returns never fails.
    public let failure: Condition?
    /// What is sent. One batch without emitter for an effect that returns, and without an effect; for one that emits a
    /// batch for each emitter that is mapped. Empty when nothing is sent.
    public let batches: [EmissionBatch]
    /// What is sent when the run has failed; nil: a failure is a fault.
    public let onError: EmissionBatch?

    /// What is evaluated for one event and one case, or without them.
    public init(
        event: Int? = nil, case: Int? = nil, condition: Condition?, each: EachModel? = nil,
        arguments: [ArgumentModel], failure: Condition?, batches: [EmissionBatch],
        onError: EmissionBatch? = nil
    ) {
        (self.event, self.case, self.condition, self.each) = (event, `case`, condition, each)
        (self.arguments, self.failure) = (arguments, failure)
        (self.batches, self.onError) = (batches, onError)
    }
}
