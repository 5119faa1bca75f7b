/// The receiver of the later values of a key. The effect's call sets the update function, and later calls use
/// it, on any executor.
@usableFromInline
final class KeyedValueReceiver<Value: Sendable, Event: Sendable>: Sendable {
    private struct Contents: Sendable {
        var update: KeyedStatus<Value, Event>.Update?
        /// The newest value that came before the effect had returned.
        var newest: Value?
    }

    private let contents = Lock(Contents())

    @usableFromInline
    init() {}

    /// Returns the value with which the effect must begin, if a newer value than the first has come. Calls
    /// never overlap.
    @usableFromInline
    func takeNewest() -> Value? {
        contents.withLock { $0.newest.take() }
    }

    /// Stores the update function that the effect returned.
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
