import App

/// A row that compares a whole run of an app, of a known number of steps, with a function in C.
struct AppRow {
    let name: String
    let title: String
    let referenceTitle: String
    let unit: String
    let reach: Double
    let then: Double?
    /// The manifest without `app.name`.
    let manifest: String
    /// The steps of the run.
    let steps: Int
    /// How many of the row's units a second of a run is; less is better.
    let unitsPerSecond: Double
    /// Does the work of the reference. Returns whether it was right.
    let reference: () -> Bool

    /// - Parameter folder: where the manifest is written.
    func measure(in folder: String, rounds: Int) async throws -> Row {
        let path = "\(folder)/\(name.lowercased()).toml"
        try BenchFile.write("app.name = \"bench\"\n\(manifest)\n", to: path)
        let app = try BenchApp.load(path)
        defer { app.close() }
        let samples = try await Row.sampling(
            rounds: rounds, figure: { try await ours(app) }, reference: { try theirs() })
        return Row(
            name: name, title: title, referenceTitle: referenceTitle, unit: unit, moreIsBetter: false,
            reach: reach, then: then, samples: samples)
    }

    private func ours(_ app: App) async throws -> Double {
        let start = ContinuousClock.now
        let end = await app.start().end()
        let seconds = Stopwatch.seconds(since: start)
        guard end.outcome == .done, end.counters.steps == steps else {
            throw BenchFault("\(name) did not end as expected: \(end)")
        }
        return seconds * unitsPerSecond
    }

    private func theirs() throws -> Double {
        let start = ContinuousClock.now
        guard reference() else { throw BenchFault("the reference of \(name) did not do its work") }
        return Stopwatch.seconds(since: start) * unitsPerSecond
    }
}
