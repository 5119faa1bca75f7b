/// What happens to a run of a feedback that a crash has interrupted, when another process continues the
/// journal: `recover`.
public enum RecoveryModel: Sendable {
    /// The host makes the run's call again, with the same key.
    case again
    /// The run is over, without an answer.
    case drop
    /// The run is over, and these events are sent. Their expressions read the state that the journal has, in
    /// any of its cases, `config` and `now`. The batch has no emitter and no messages.
    case emit(EmissionBatch)
}

/// The values of `recover` that are not a table.
enum RecoveryWord: String, CaseIterable {
    case again, drop
}
