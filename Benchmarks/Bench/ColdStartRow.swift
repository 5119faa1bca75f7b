/// Rows T1: a whole run of examples/levels by the installed program as a process. The reference is an empty Swift
/// program that links Foundation.
///
/// One of the two plugins of the example is in Swift, and brings Swift's libraries with it. In the row `T1 C`, the plugin
/// in C stands in its place.
struct ColdStartRow {
    /// The paths of `spinhost` and the empty program.
    let program: String
    let empty: String
    /// The example's manifest.
    let manifest: String
    /// A folder for the changed manifest.
    let folder: String

    func measure(rounds: Int) async throws -> [Row] {
        let onlyC = "\(folder)/t1.toml"
        let home = manifest[..<(manifest.lastIndex(of: "/") ?? manifest.startIndex)]
        try BenchFile.write(
            BenchFile.text(of: manifest).replacing("right.so", with: "left.so")
                .replacing("\"../../", with: "\"\(home)/../../"), to: onlyC)
        return [
            try await row("T1", "examples/levels", manifest, rounds),
            try await row("T1 C", "examples/levels with plugins in C alone", onlyC, rounds),
        ]
    }

    private func row(_ name: String, _ app: String, _ manifest: String, _ rounds: Int) async throws -> Row {
        let samples = try await Row.sampling(
            rounds: rounds, figure: { try Program.milliseconds([program, "--manifest", manifest]) },
            reference: { try Program.milliseconds([empty]) })
        return Row(
            name: name, title: "cold start: \(app), whole process",
            referenceTitle: "empty Swift program with Foundation", unit: "ms", moreIsBetter: false, reach: 3,
            then: 1.5,
            samples: samples)
    }
}
