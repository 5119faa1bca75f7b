/// What the later values of a key are given to, handed from the call that answers it to the calls after it,
/// wherever these execute.
@usableFromInline
final class KeyedReceiver<Value: Sendable, Event: Sendable>: Sendable {
    private struct Book: Sendable {
        var update: KeyedStatus<Value, Event>.Update?
        /// The newest of the values that came before the effect had answered.
        var newest: Value?
    }

    private let book = Lock(Book())

    @usableFromInline
    init() {}

    /// The value for the effect to begin with, if newer than its first one; calls never overlap.
    @usableFromInline
    func takeNewest() -> Value? {
        book.withLock { $0.newest.take() }
    }

    /// Takes the answer of the effect.
    @usableFromInline
    func keep(_ answer: KeyedStatus<Value, Event>) -> EffectStatus {
        let update = answer.update ?? { _, _ in }
        let before = book.withLock { book in
            defer { book.update = update }
            return book.update
        }
        withExtendedLifetime(before) {}
        return answer.status
    }

    @usableFromInline
    func receive(_ value: Value, _ run: Run<Event>) throws {
        let (update, older) = book.withLock { book -> (KeyedStatus<Value, Event>.Update?, Value?) in
            guard book.update == nil else { return (book.update, nil) }
            defer { book.newest = value }
            return (nil, book.newest)
        }
        withExtendedLifetime(older) {}
        try update?(value, run)
    }
}
