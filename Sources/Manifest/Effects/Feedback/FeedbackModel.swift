public import Diagnostics

/// A feedback: when its effect runs, with which arguments, and which events follow.
/// `[loops.X.feedback.NAME]`.
public struct FeedbackModel: Sendable {
    /// Its name, unique in the loop.
    public let name: String
    /// The effect to call; nil for a feedback that only sends messages.
    public let effect: EffectReference?
    /// When it runs.
    public let trigger: FeedbackTrigger
    /// Where the effect is called.
    public let executor: FeedbackExecutor
    /// Its waiting times, its time limit and its number of retries.
    public let timing: FeedbackTiming
    /// The expressions of the feedback, compiled for each event of `FeedbackTrigger.events`, in that order.
    /// For each event there is one variant for each case in which the feedback runs, in the order of the
    /// cases, or one for all cases.
    public let variants: [FeedbackVariant]
    /// True for a feedback that is checked but never runs.
    public let isDisabled: Bool
    /// False for an effect that does not wait until its step is in a journal that is
    /// `JournalModel.Durability.everyStep`.
    public let isDurable: Bool
    /// What happens to a run that a crash has interrupted, when another process continues the journal.
    public let recovery: RecoveryModel
    /// What the manifest says of it.
    public let declared: DeclaredValue
    /// The key that names it.
    public let span: SourceSpan

    /// A feedback named at `span`.
    ///
    /// - Precondition: at least one variant.
    public init(
        name: String, effect: EffectReference?, trigger: FeedbackTrigger, executor: FeedbackExecutor,
        timing: FeedbackTiming, variants: [FeedbackVariant], isDisabled: Bool, isDurable: Bool,
        recovery: RecoveryModel, declared: DeclaredValue, span: SourceSpan
    ) {
        precondition(!variants.isEmpty, "a feedback has a variant")
        (self.name, self.effect, self.trigger, self.executor) = (name, effect, trigger, executor)
        (self.timing, self.variants, self.isDisabled) = (timing, variants, isDisabled)
        (self.isDurable, self.recovery) = (isDurable, recovery)
        (self.declared, self.span) = (declared, span)
    }
}
