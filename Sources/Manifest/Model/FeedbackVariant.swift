/// What a feedback evaluates. Payloads of different events lie differently in memory, so a feedback with `on` has one
/// variant for each of its events.
public struct FeedbackVariant: Sendable {
    /// The feedback runs only when this holds, or always.
    public let condition: Condition?
    /// The arguments in parameter order, out-parameters left out.
    public let arguments: [ArgumentModel]
    /// The call has failed when this holds; nil: a call that returns never fails.
    public let failure: Condition?
    /// What is sent. One batch without emitter for an effect that returns; for one that emits a batch for each emitter
    /// that `emit` fits. Empty without `emit`.
    public let batches: [EmissionBatch]

    /// What is evaluated for one event, or without one.
    public init(
        condition: Condition?, arguments: [ArgumentModel], failure: Condition?, batches: [EmissionBatch]
    ) {
        (self.condition, self.arguments, self.failure, self.batches) = (
            condition, arguments, failure, batches
        )
    }
}
