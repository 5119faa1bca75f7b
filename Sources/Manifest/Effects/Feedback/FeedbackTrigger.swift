public import Records

/// When a feedback runs.
public enum FeedbackTrigger: Hashable, Sendable {
    /// When the values of the arguments have changed while `when` holds. Without arguments: once.
    case change
    /// On every new state for which `when` holds.
    case state(Strategy)
    /// Once for each of these events, given as indices into `LoopModel.events`, while `when` holds.
    case events([Int], Strategy)
    /// Like `change`, for each item of a list separately: a run starts when its item appears and ends when it
    /// disappears.
    case each(Item)

    /// The events that start a run, in their order in the manifest; empty for the other triggers.
    public var events: [Int] { if case .events(let events, _) = self { events } else { [] } }

    /// What happens to a running call when the next one is due.
    public enum Strategy: String, Sendable, CaseIterable {
        /// Every new state cancels it, also a state for which `when` does not hold. Only with `trigger =
        /// "state"`.
        case cancelOnNewState = "cancel-on-new-state"
        /// The next run cancels it.
        case cancelOnNewMatch = "cancel-on-new-match"
        /// Both run.
        case continueOnNewState = "continue-on-new-state"
        /// The next run is skipped.
        case skipWhileRunning = "skip-while-running"
        /// The next run waits.
        case queue
    }

    /// The items of `each`.
    public struct Item: Hashable, Sendable {
        /// The type of one item: what `item` is in expressions.
        public let type: ValueType

        /// An item of that type.
        public init(type: ValueType) { self.type = type }
    }
}
