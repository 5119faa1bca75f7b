import HostLoop

/// What a feedback on a type of state does when another state of that type arrives while a run of an earlier
/// one lasts.
///
/// As in the original there is no default: it must be written.
public enum SideEffectStrategy: Sendable, Hashable, CaseIterable {
    /// A state of the type cancels the current run; states of other types do not, so what was begun in
    /// `Loading` may still emit in `Loaded`. This is the original's rule, and `Strategy.cancelOnNewMatch`.
    case cancelOnNewState
    /// Runs overlap; their events come in the order of completion.
    case continueOnNewState
    /// Any new state cancels the current run, also one of another type: the effect ends when its state is left.
    case cancelOnAnyState
    /// A state that arrives while a run is pending or executing starts none.
    case skipWhileRunning
    /// One run after another, none lost.
    case queue

    var stateStrategy: Strategy {
        switch self {
        case .cancelOnNewState: .cancelOnNewMatch
        case .continueOnNewState: .continueOnNewState
        case .cancelOnAnyState: .cancelOnNewState
        case .skipWhileRunning: .skipWhileRunning
        case .queue: .queue
        }
    }
}
