/// What the later values of a key are given to, handed from the call that answers it to the calls after it,
/// wherever these execute.
@usableFromInline
final class KeyedReceiver<Value: Sendable, Event: Sendable>: Sendable {
    private let update = Lock<KeyedStatus<Value, Event>.Update?>(nil)

    @usableFromInline
    init() {}

    @usableFromInline
    func keep(_ answer: KeyedStatus<Value, Event>) -> EffectStatus {
        update.withLock { $0 = answer.update }
        return answer.status
    }

    @usableFromInline
    func receive(_ value: Value, _ run: Run<Event>) throws {
        try update.withLock { $0 }?(value, run)
    }
}
