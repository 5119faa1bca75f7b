public import Diagnostics

/// When an effect runs, with which arguments, and what comes of it: `[loops.X.feedback.NAME]`.
public struct FeedbackModel: Sendable {
    /// Its name, unique in the loop.
    public let name: String
    /// What it calls; nil: nothing, it only sends messages.
    public let effect: EffectReference?
    /// When it runs.
    public let trigger: FeedbackTrigger
    /// Where the effect is called.
    public let executor: FeedbackExecutor
    /// When it waits, for how long it may run, and how often it tries.
    public let timing: FeedbackTiming
    /// What it evaluates: for each event of `FeedbackTrigger.events`, in that order, one variant for each case of the
    /// state that it runs in, in the order of the cases, or one for all of them.
    public let variants: [FeedbackVariant]
    /// True for a feedback that is checked and never runs.
    public let isDisabled: Bool
    /// What the manifest says of it.
    public let declared: DeclaredValue
    /// The key that names it.
    public let span: SourceSpan

    /// A feedback named at `span`.
    ///
    /// - Precondition: at least one variant.
    public init(
        name: String, effect: EffectReference?, trigger: FeedbackTrigger, executor: FeedbackExecutor,
        timing: FeedbackTiming, variants: [FeedbackVariant], isDisabled: Bool, declared: DeclaredValue,
        span: SourceSpan
    ) {
        precondition(!variants.isEmpty, "a feedback has a variant")
        (self.name, self.effect, self.trigger, self.executor) = (name, effect, trigger, executor)
        (self.timing, self.variants, self.isDisabled) = (timing, variants, isDisabled)
        (self.declared, self.span) = (declared, span)
    }
}
