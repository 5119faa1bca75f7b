public import Records

/// When a feedback runs.
public enum FeedbackTrigger: Hashable, Sendable {
    /// When the values of the arguments have changed while `when` holds; without arguments once.
    case change
    /// On every new state for which `when` holds.
    case state(Strategy)
    /// Once per event of these kinds, as indices into `LoopModel.events`, when `when` holds.
    case events([Int], Strategy)
    /// For each item of a list on its own, as `change`: a run begins when the item comes, and ends when it goes.
    case each(Item)

    /// The events that it runs for, in their order in the manifest; empty for the other triggers.
    public var events: [Int] { if case .events(let events, _) = self { events } else { [] } }

    /// What becomes of a running call when the next is due.
    public enum Strategy: String, Sendable, CaseIterable {
        /// Every new state ends it, also one for which `when` does not hold. With `trigger = "state"` only.
        case cancelOnNewState = "cancel-on-new-state"
        /// The next run ends it.
        case cancelOnNewMatch = "cancel-on-new-match"
        /// Both run.
        case continueOnNewState = "continue-on-new-state"
        /// The next run does not take place.
        case skipWhileRunning = "skip-while-running"
        /// The next run waits.
        case queue
    }

    /// What each run is for.
    public struct Item: Hashable, Sendable {
        /// The type of one item: what `item` is in expressions.
        public let type: ValueType

        /// An item of that type.
        public init(type: ValueType) { self.type = type }
    }
}
