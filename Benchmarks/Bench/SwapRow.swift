/// Row S1: the time from a library in its place to its first call, without the trial process.
struct SwapRow {
    /// The folder with `step.so`.
    let plugins: String

    func measure(rounds: Int) async throws -> Row {
        let bench = try SwapBench(plugins: plugins)
        _ = try await bench.swap()
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                var sum = 0.0
                for _ in 0..<20 { sum += try await bench.swap().whole }
                return sum / 20 * 1e6
            },
            reference: {
                var sum = 0.0
                for _ in 0..<20 { sum += try bench.reference() }
                return sum / 20 * 1e6
            })
        await bench.end()
        return Row(
            name: "S1", title: "swap: file in place to first new call, without the trial",
            referenceTitle: "copy, `dlopen`, call", unit: "µs", moreIsBetter: false, reach: 10, then: 4,
            samples: samples)
    }
}
