import Diagnostics

/// One entry of `on` or `after`, as far as it matters for whether it can apply.
struct TransitionEntry {
    /// What it is for.
    enum Cause {
        /// Declared events, as indices into `LoopModel.events`; all of them for `"*"`.
        case events([Int])
        /// The time that was spent in a case.
        case delay(DelayModel)
    }

    let cause: Cause
    /// The cases in which it may apply; nil: in all.
    let from: [Int]?
    /// The case that it leads to; nil: none, or one at fault.
    let to: Int?
    let isConditional: Bool
    let span: SourceSpan
}
