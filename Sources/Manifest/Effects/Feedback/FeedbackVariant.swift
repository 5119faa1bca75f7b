public import Expressions

/// The compiled expressions of a feedback for one event and one case of the state. Payloads of different
/// events, and states in different cases, have different layouts, so a feedback may need several variants.
public struct FeedbackVariant: Sendable {
    /// The event, as an index into `LoopModel.events`; nil without `on`.
    public let event: Int?
    /// The case of the state, as an index into `RecordType.cases`; nil for any case.
    public let `case`: Int?
    /// The feedback runs only when this holds; nil if it always runs.
    public let condition: Condition?
    /// The items and their keys; nil unless the trigger is `FeedbackTrigger.each`.
    public let each: EachModel?
    /// The input arguments in parameter order; empty without an effect.
    public let arguments: [ArgumentModel]
    /// The callbacks that the call takes, in parameter order.
    public let callbacks: [CallbackModel]
    /// The call has failed when this holds; nil if a call that returns never fails.
    public let failure: Condition?
    /// The events and messages to send; empty if there are none. An effect that returns, and a feedback
    /// without effect, have one batch without emitter. An effect that emits has one batch for each mapped
    /// emitter.
    public let batches: [EmissionBatch]
    /// The events to send when the run has failed; nil if a failure is a fault.
    public let onError: EmissionBatch?

    /// All batches that the feedback may send, in this order: those of its callbacks, those of its answers, the
    /// one after a failure.
    public var allBatches: [EmissionBatch] {
        callbacks.map(\.batch) + batches + (onError.map { [$0] } ?? [])
    }

    /// The expressions for one event and one case, or for a feedback without them.
    public init(
        event: Int? = nil, case: Int? = nil, condition: Condition?, each: EachModel? = nil,
        arguments: [ArgumentModel], callbacks: [CallbackModel] = [], failure: Condition?,
        batches: [EmissionBatch],
        onError: EmissionBatch? = nil
    ) {
        (self.event, self.case, self.condition, self.each) = (event, `case`, condition, each)
        (self.arguments, self.callbacks, self.failure) = (arguments, callbacks, failure)
        (self.batches, self.onError) = (batches, onError)
    }

    /// What the expressions read that decide whether a run begins, and with which arguments.
    public var decisionReads: FrameReads {
        var reads = FrameReads(arguments.map(\.reads))
        if let condition { reads.formUnion(condition.reads) }
        if let each {
            reads.formUnion(each.items.reads)
            reads.formUnion(each.key.reads)
        }
        return reads
    }

    /// What all of its expressions read of the frame (`FrameSlot`).
    public var reads: FrameReads {
        var reads = decisionReads
        if let failure { reads.formUnion(failure.reads) }
        reads.formUnion(FrameReads(callbacks.map(\.reads) + allBatches.map(\.reads)))
        return reads
    }
}
