/// What a call of an effect says of its run when it returns.
public enum EffectStatus: Sendable, Hashable {
    /// The run has nothing more to do and emits nothing more.
    case finished
    /// The run goes on elsewhere and ends with exactly one `Run.finish()` or `Run.fail(_:)`, from any thread,
    /// also after it was cancelled.
    case pending
}
