/// What the later values of a key are given to, handed from the call that answers it to the calls after it,
/// wherever these execute.
@usableFromInline
final class KeyedValueReceiver<Value: Sendable, Event: Sendable>: Sendable {
    private struct Contents: Sendable {
        var update: KeyedStatus<Value, Event>.Update?
        /// The newest of the values that came before the effect had answered.
        var newest: Value?
    }

    private let contents = Lock(Contents())

    @usableFromInline
    init() {}

    /// The value for the effect to begin with, if newer than its first one; calls never overlap.
    @usableFromInline
    func takeNewest() -> Value? {
        contents.withLock { $0.newest.take() }
    }

    /// Takes the answer of the effect.
    @usableFromInline
    func keep(_ answer: KeyedStatus<Value, Event>) -> EffectStatus {
        let update = answer.update ?? { _, _ in }
        let before = contents.withLock { contents in
            defer { contents.update = update }
            return contents.update
        }
        withExtendedLifetime(before) {}
        return answer.status
    }

    @usableFromInline
    func receive(_ value: Value, _ run: Run<Event>) throws {
        let (update, older) = contents.withLock { contents -> (KeyedStatus<Value, Event>.Update?, Value?) in
            guard contents.update == nil else { return (contents.update, nil) }
            defer { contents.newest = value }
            return (nil, contents.newest)
        }
        withExtendedLifetime(older) {}
        try update?(value, run)
    }
}
