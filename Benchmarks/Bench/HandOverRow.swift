import App
import References

/// Row M4: an effect hands its work to a thread, which emits and finishes, over and over. The reference is
/// two threads that pass a number back and forth.
struct HandOverRow {
    /// The folder with `hand_over.so`.
    let plugins: String

    private let turns = 50_000

    func measure(rounds: Int) async throws -> Row {
        let path = "\(plugins)/m4.toml"
        try BenchFile.write(
            """
            app.name = "bench"
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

            """, to: path)
        let app = try BenchApp.load(path)
        defer { app.close() }
        let samples = try await Row.sampling(
            rounds: rounds, figure: { try await ours(app) }, reference: { reference() })
        return Row(
            name: "M4", title: "asynchronous effect: start, emit from a thread, finish",
            referenceTitle: "mutex and condition variable, back and forth", unit: "µs", moreIsBetter: false,
            reach: 2,
            then: 1, samples: samples)
    }

    private func ours(_ app: App) async throws -> Double {
        let start = ContinuousClock.now
        let end = await app.start().end()
        let seconds = Stopwatch.seconds(since: start)
        guard end.outcome == .done, end.counters.steps == turns else {
            throw BenchFault("M4 did not end as expected: \(end)")
        }
        return seconds / Double(turns) * 1e6
    }

    private func reference() -> Double {
        let start = ContinuousClock.now
        let reached = reference_hand_over(Int64(turns))
        precondition(reached == turns, "the reference takes every turn")
        return Stopwatch.seconds(since: start) / Double(turns) * 1e6
    }
}
