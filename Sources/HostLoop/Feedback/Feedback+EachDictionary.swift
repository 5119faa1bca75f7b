extension Feedback {
    /// A feedback with one run per key of a dictionary. The run gets the later values of its key.
    ///
    /// A new key starts a run with its value. The run ends when the key disappears. A different value does
    /// not replace the run: the loop passes it to the `update` that the effect returned. `update` executes
    /// where the effect executes, one call at a time, in order and without gaps. All events that an update
    /// emits before it returns belong to the run. A throw of it is caught like the effect's, and the run
    /// continues. If the effect failed or returned no `update`, the loop ignores later values until the key
    /// was gone in between.
    ///
    /// Endings, starts and updates come in increasing order of the keys if `Key` is `Comparable`, otherwise
    /// in no defined order.
    /// - Parameters:
    ///   - requests: Returns the state's requests; called once per new state. A throw is a fault and counts
    ///     as the empty dictionary.
    ///   - effect: Gets a key and its first value, or the newest one if it is called later (`delay(for:)`,
    ///     `retry(_:delay:)`). It finishes before it returns, or continues and ends with `Run.finish()`.
    @inlinable
    public static func onEach<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ name: String = "", requests: @escaping @Sendable (State) throws -> [Key: Value],
        run effect: @escaping @Sendable (Key, Value, Run<Event>) throws -> KeyedStatus<Value, Event>
    ) -> Feedback {
        onEach(name, isOrdered: false, requests: requests, pairs: { $0.lazy.map { ($0.key, $0.value) } }) {
            key, first in
            let receiver = KeyedValueReceiver<Value, Event>()
            return (
                effect: { _, _, run in
                    let value = receiver.takeNewest() ?? first
                    return receiver.keep(try effect(key, value, run))
                },
                update: { value in
                    { _, _, run in
                        try receiver.receive(value, run)
                        return .finished
                    }
                }
            )
        }
    }

    /// A feedback with one run per key of a dictionary, whose effect emits at most one event for the first
    /// value of a key and for each different one after it.
    ///
    /// A different value does not end the run: events of earlier values stay in the queue, until the key
    /// disappears. A throw is a fault, and the feedback still gets the next value.
    /// - Parameters:
    ///   - requests: Returns the state's requests; called once per new state. A throw is a fault and counts
    ///     as the empty dictionary.
    ///   - effect: Gets a key and a value of it; returns the event to emit.
    @inlinable
    public static func onEach<Key: Hashable & Sendable, Value: Equatable & Sendable>(
        _ name: String = "", requests: @escaping @Sendable (State) throws -> [Key: Value],
        effect: @escaping @Sendable (Key, Value) throws -> Event?
    ) -> Feedback {
        onEach(name, isOrdered: false, requests: requests, pairs: { $0.lazy.map { ($0.key, $0.value) } }) {
            key, first in
            let call: KeyedRequests<State, Event, Key, Value>.Update = { value in
                { _, _, run in
                    if let event = try effect(key, value) { run.emit(event) }
                    return .finished
                }
            }
            return (effect: call(first), update: call)
        }
    }
}
