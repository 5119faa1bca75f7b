public import Diagnostics

/// When an effect runs, with which arguments, and which events come of it: `[loops.X.feedback.NAME]`.
public struct FeedbackModel: Sendable {
    /// Its name, unique in the loop.
    public let name: String
    /// What it calls.
    public let effect: EffectReference
    /// When it runs.
    public let trigger: FeedbackTrigger
    /// What it evaluates: one variant for each event of `FeedbackTrigger.events`, in that order; else exactly one.
    public let variants: [FeedbackVariant]
    /// True for a feedback that is checked and never runs.
    public let isDisabled: Bool
    /// The key that names it.
    public let span: SourceSpan

    /// A feedback named at `span`.
    ///
    /// - Precondition: at least one variant.
    public init(
        name: String, effect: EffectReference, trigger: FeedbackTrigger, variants: [FeedbackVariant],
        isDisabled: Bool, span: SourceSpan
    ) {
        precondition(!variants.isEmpty, "a feedback has a variant")
        (self.name, self.effect, self.trigger) = (name, effect, trigger)
        (self.variants, self.isDisabled, self.span) = (variants, isDisabled, span)
    }
}
