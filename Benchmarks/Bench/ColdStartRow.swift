/// Row T1: a whole run of examples/levels as a process. The reference is an empty Swift program that links
/// Foundation.
struct ColdStartRow {
    /// The paths of `spinhost` and the empty program.
    let program: String
    let empty: String
    let manifest: String

    func measure(rounds: Int) async throws -> Row {
        let samples = try await Row.sampling(
            rounds: rounds, figure: { try Program.milliseconds([program, "--manifest", manifest]) },
            reference: { try Program.milliseconds([empty]) })
        return Row(
            name: "T1", title: "cold start: examples/levels, whole process",
            referenceTitle: "empty Swift program with Foundation", unit: "ms", moreIsBetter: false, reach: 3,
            then: 1.5,
            samples: samples)
    }
}
