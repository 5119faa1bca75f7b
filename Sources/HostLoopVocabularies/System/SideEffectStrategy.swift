import HostLoop

/// The strategy of a feedback on a type of state: what happens to a run when the next state of that type
/// comes.
///
/// As in the original, there is no default.
public enum SideEffectStrategy: Sendable, Hashable, CaseIterable {
    /// A state of the type cancels the current run. States of other types do not, so a run that began in
    /// `Loading` may still emit in `Loaded`. This is the original's rule, and `Strategy.cancelOnNewMatch`.
    case cancelOnNewState
    /// Runs overlap. Their events come in the order of completion.
    case continueOnNewState
    /// Any new state cancels the current run, including one of another type.
    case cancelOnAnyState
    /// A state that comes while a run is pending or executes starts no run.
    case skipWhileRunning
    /// Runs come one after another, and none is lost.
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
