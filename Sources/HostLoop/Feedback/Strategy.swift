/// The rule for a feedback on states or events that must start a run while an earlier run lasts.
///
/// A run lasts until it is cancelled or the loop stops. It does not end when its effect returns. The loop
/// withdraws the unreduced events of a cancelled run. By default, `onState` uses `cancelOnNewState` and
/// `onEvent` uses `queue`.
public enum Strategy: Sendable, Hashable, CaseIterable {
    /// Any new state cancels the current run, also a state that the filter rejects.
    case cancelOnNewState
    /// Only a state or an event that passes the filter cancels the current run.
    case cancelOnNewMatch
    /// Runs overlap; their events come in the order of completion.
    case continueOnNewState
    /// A state or an event that arrives while a run is pending or executing starts no run.
    case skipWhileRunning
    /// One run starts after another, and none is lost.
    case queue

    @usableFromInline
    func policy(_ trigger: RunPolicy.Trigger) -> RunPolicy {
        switch self {
        case .cancelOnNewState: RunPolicy(trigger, endsOnNone: true, endsOnNew: true, whenBusy: .replace)
        case .cancelOnNewMatch: RunPolicy(trigger, endsOnNone: false, endsOnNew: true, whenBusy: .replace)
        case .continueOnNewState: RunPolicy(trigger, endsOnNone: false, endsOnNew: false, whenBusy: .overlap)
        case .skipWhileRunning: RunPolicy(trigger, endsOnNone: false, endsOnNew: false, whenBusy: .skip)
        case .queue: RunPolicy(trigger, endsOnNone: false, endsOnNew: false, whenBusy: .queue)
        }
    }
}
