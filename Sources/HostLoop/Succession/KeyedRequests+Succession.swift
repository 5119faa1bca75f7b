extension KeyedRequests {
    /// Goes on with the keys of the same feedback in another loop, which rests, or has stopped (nil): they have their runs still, as
    /// copies of what that loop has, and `requests` are what they run, or have run, for.
    @usableFromInline
    func inherit(from other: KeyedRunPool<State, Event>?, _ requests: [(Key, Value)]) {
        let values = Dictionary(requests) { first, _ in first }
        guard let before = other?.table as? KeyedRequests else {
            // Two requests with one key were none.
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
            // One that has gone waits for its calls to return.
            if let value = its.value { entry.value = values[key] ?? value }
            guard let run = its.run else { continue }
            let own = obtainRun(for: entry)
            (own.effect, own.slotIndex) = (run.effect, run.slotIndex)
        }
        current = ContiguousArray(before.current.compactMap { entries[$0.key] })
    }
}
