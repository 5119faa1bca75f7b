extension KeyedRequests {
    /// Continues the keys of the same feedback in another loop.
    /// - Parameters:
    ///   - other: The runs in that loop, which is parked; nil if it has stopped. The keys keep their runs, as
    ///     copies of those.
    ///   - requests: The requests that the keys run, or have run, for.
    ///   - carried: Returns the request of another key in that loop as one of this loop.
    @usableFromInline
    func inherit(
        from other: KeyedRunPool<State, Event>?, _ requests: [(Key, Value)], _ carried: (Value) -> Value
    ) {
        let values = Dictionary(requests) { first, _ in first }
        guard let before = other?.table as? KeyedRequests else {
            // Two requests with one key counted as no requests.
            guard values.count == requests.count else { return }
            for (key, value) in requests {
                let entry = add(key)
                entry.value = value
                current.append(entry)
            }
            return
        }
        runs.continueNumbering(after: before.runs)
        for (key, its) in before.entries {
            let entry = add(key)
            // A key that has gone waits for its calls to return.
            if let value = its.value { entry.value = values[key] ?? carried(value) }
            guard let run = its.run else { continue }
            let own = obtainRun(for: entry)
            (own.effect, own.slotIndex) = (run.effect, run.slotIndex)
        }
        current = ContiguousArray(before.current.compactMap { entries[$0.key] })
    }
}
