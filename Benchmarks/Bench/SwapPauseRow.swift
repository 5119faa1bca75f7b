/// Row S2: how long a loop under full load waits for a swap of the plugin that it calls: the 99th percentile
/// of 200.
struct SwapPauseRow {
    /// The folder with `step.so`.
    let plugins: String

    func measure(rounds: Int) async throws -> Row {
        let bench = try SwapBench(plugins: plugins)
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                var pauses: [Double] = []
                for _ in 0..<200 { pauses.append(try await bench.swap().pause) }
                return pauses.sorted()[197] * 1e6
            }, reference: { try bench.reference() * 1e6 })
        await bench.end()
        return Row(
            name: "S2", title: "pause of a loop for a swap, 99th percentile",
            referenceTitle: "copy, `dlopen`, call", unit: "µs", judged: .figure, moreIsBetter: false,
            reach: 1000, then: 100, samples: samples)
    }
}
