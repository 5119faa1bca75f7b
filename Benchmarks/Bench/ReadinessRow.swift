import References

extension AppRow {
    /// Row N1: a thread makes a descriptor readable, the plugin that polls it emits, and the loop answers the
    /// thread, over and over. In the reference `epoll_wait` returns and its thread answers.
    ///
    /// - Parameter plugins: the folder with `poll.so`.
    static func readiness(_ plugins: String) -> AppRow {
        let turns = 50_000
        return AppRow(
            name: "N1", title: "readable descriptor to reduced event and answer",
            referenceTitle: "epoll_wait by hand", unit: "µs", reach: 2, then: nil,
            manifest: """
                [plugins.poll]
                library = "\(plugins)/poll.so"
                [loops.count]
                state  = { n = 0 }
                events = { moved = { to = "int" } }
                until  = "state.n == \(turns)"
                on.moved = { set = { n = "event.to" } }
                [loops.count.feedback]
                listen = { effect = "poll:listen" }
                answer = { effect = "poll:answer", args = ["state.n"] }
                """, steps: turns, unitsPerSecond: 1e6 / Double(turns),
            reference: { reference_readiness(Int64(turns)) == turns })
    }
}
