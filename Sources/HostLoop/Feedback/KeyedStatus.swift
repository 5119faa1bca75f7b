/// The state of a run after a call of its effect has returned, and the receiver of later values of the run's
/// key.
public struct KeyedStatus<Value: Sendable, Event: Sendable>: Sendable {
    /// Called with each later value that differs from the one before, in order and without gaps.
    public typealias Update = @Sendable (Value, Run<Event>) throws -> Void

    @usableFromInline let status: EffectStatus
    @usableFromInline let update: Update?

    @usableFromInline
    init(_ status: EffectStatus, update: Update?) {
        self.status = status
        self.update = update
    }

    /// The run has nothing more to do and emits nothing more. The loop ignores later values.
    public static var finished: KeyedStatus { KeyedStatus(.finished, update: nil) }

    /// The run continues, as with `EffectStatus.pending`. The loop ignores later values.
    public static var pending: KeyedStatus { KeyedStatus(.pending, update: nil) }

    /// The run emits only the events that `update` emits before it returns.
    public static func finished(update: @escaping Update) -> KeyedStatus {
        KeyedStatus(.finished, update: update)
    }

    /// The run continues, as with `EffectStatus.pending`, and `update` gets the key's later values, also once
    /// the run is finished, until the key disappears.
    public static func pending(update: @escaping Update) -> KeyedStatus {
        KeyedStatus(.pending, update: update)
    }
}
