/// What a call of an effect says of its run when it returns, and who is given the later values of the run's
/// key.
public struct KeyedStatus<Value: Sendable, Event: Sendable>: Sendable {
    /// Given each later value that differs from the one before, in order and none left out.
    public typealias Update = @Sendable (Value, Run<Event>) throws -> Void

    @usableFromInline let status: EffectStatus
    @usableFromInline let update: Update?

    @usableFromInline
    init(_ status: EffectStatus, update: Update?) {
        self.status = status
        self.update = update
    }

    /// The run has nothing more to do and emits nothing more; later values are ignored.
    public static var finished: KeyedStatus { KeyedStatus(.finished, update: nil) }

    /// The run goes on, as with `EffectStatus.pending`; later values are ignored.
    public static var pending: KeyedStatus { KeyedStatus(.pending, update: nil) }

    /// The run emits only what `update` emits before it returns.
    public static func finished(update: @escaping Update) -> KeyedStatus {
        KeyedStatus(.finished, update: update)
    }

    /// The run goes on, as with `EffectStatus.pending`, and `update` is given the key's later values, also
    /// once the run is finished, until the key goes.
    public static func pending(update: @escaping Update) -> KeyedStatus {
        KeyedStatus(.pending, update: update)
    }
}
