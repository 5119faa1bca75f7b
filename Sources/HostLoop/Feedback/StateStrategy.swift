/// What a feedback on states does when a state arrives while a run of an earlier state lasts.
///
/// A run lasts until it is cancelled or the loop stops; that its effect has returned does not end it. What a
/// cancelled run emitted and what is not reduced yet is withdrawn.
public enum StateStrategy: Sendable, Hashable, CaseIterable {
    /// Any new state cancels the current run, also one that the filter rejects.
    case cancelOnNewState
    /// Only a state that passes the filter cancels the current run.
    case cancelOnNewMatch
    /// Runs overlap; their events come in the order of completion.
    case continueOnNewState
    /// A state that arrives while a run is pending or executing starts none.
    case skipWhileRunning
    /// One run after another, none lost.
    case queue

    @usableFromInline var policy: RunPolicy {
        switch self {
        case .cancelOnNewState: RunPolicy(.state, endsOnNone: true, endsOnNew: true, whenBusy: .replace)
        case .cancelOnNewMatch: RunPolicy(.state, endsOnNone: false, endsOnNew: true, whenBusy: .replace)
        case .continueOnNewState: RunPolicy(.state, endsOnNone: false, endsOnNew: false, whenBusy: .overlap)
        case .skipWhileRunning: RunPolicy(.state, endsOnNone: false, endsOnNew: false, whenBusy: .skip)
        case .queue: RunPolicy(.state, endsOnNone: false, endsOnNew: false, whenBusy: .queue)
        }
    }
}
