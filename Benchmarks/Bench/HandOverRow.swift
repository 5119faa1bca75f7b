import References

extension AppRow {
    /// Row M4: an effect hands its work to a thread, which emits and finishes, over and over. The reference is
    /// two threads that pass a number back and forth.
    ///
    /// - Parameter plugins: the folder with `hand_over.so`.
    static func handOver(_ plugins: String) -> AppRow {
        let turns = 50_000
        return AppRow(
            name: "M4", title: "asynchronous effect: start, emit from a thread, finish",
            referenceTitle: "mutex and condition variable, back and forth", unit: "µs", reach: 2, then: 1,
            manifest: """
                [plugins.hand_over]
                library = "\(plugins)/hand_over.so"
                [loops.count]
                state  = { n = 0 }
                events = { moved = { to = "int" } }
                until  = "state.n == \(turns)"
                on.moved = { set = { n = "event.to" } }
                [loops.count.feedback.step]
                effect = "hand_over:step"
                args   = ["state.n"]
                """, steps: turns, unitsPerSecond: 1e6 / Double(turns),
            reference: { reference_hand_over(Int64(turns)) == turns })
    }
}
