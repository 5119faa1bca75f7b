/// What a step does with its new state.
@usableFromInline
enum StepForm: UInt8, Sendable {
    /// It asks all feedbacks.
    case usual
    /// It asks the feedbacks of the plan's `selection`.
    case selecting
    /// An observer sees it, or a journal makes it durable first.
    case elaborate
}
