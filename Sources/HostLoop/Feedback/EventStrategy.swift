/// What a feedback on events does when an event arrives while a run of an earlier one lasts.
public enum EventStrategy: Sendable, Hashable, CaseIterable {
    /// One run after another, none lost.
    case queue
    /// An event that arrives while a run is pending or executing starts none.
    case skipWhileRunning
    /// A matching event cancels the current run and withdraws its unreduced events.
    case cancelOnNewMatch
    /// Runs overlap; their events come in the order of completion.
    case continueOnNewState

    @usableFromInline var policy: RunPolicy {
        switch self {
        case .queue: RunPolicy(.event, endsOnNone: false, endsOnNew: false, whenBusy: .queue)
        case .skipWhileRunning: RunPolicy(.event, endsOnNone: false, endsOnNew: false, whenBusy: .skip)
        case .cancelOnNewMatch: RunPolicy(.event, endsOnNone: false, endsOnNew: true, whenBusy: .replace)
        case .continueOnNewState: RunPolicy(.event, endsOnNone: false, endsOnNew: false, whenBusy: .overlap)
        }
    }
}
