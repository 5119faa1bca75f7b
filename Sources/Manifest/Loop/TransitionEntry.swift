import Diagnostics

/// One entry of `on` or `after`, reduced to what decides whether it can apply.
struct TransitionEntry {
    /// The trigger of the transition.
    enum Cause {
        /// Declared events, as indices into `LoopModel.events`; all of them for `"*"`.
        case events([Int])
        /// The time that a case has lasted.
        case delay(DelayModel)
    }

    let cause: Cause
    /// The cases in which it may apply; nil for all.
    let from: [Int]?
    /// The case to enter; nil if the case does not change, or if `to` has a fault.
    let to: Int?
    let isConditional: Bool
    let span: SourceSpan
}
