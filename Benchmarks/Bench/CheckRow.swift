/// Row T2: `spinhost check` of a manifest with 1,000 feedbacks as a process. The reference is the start of an
/// empty program.
struct CheckRow {
    /// The paths of `spinhost` and the empty program.
    let program: String
    let empty: String
    /// The path of the manifest.
    let folder: String

    func measure(rounds: Int) async throws -> Row {
        let path = "\(folder)/t2.toml"
        try BenchFile.write(Self.manifest(feedbacks: 1_000), to: path)
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: { try Program.milliseconds([program, "check", "--manifest", path]) },
            reference: { try Program.milliseconds([empty]) })
        return Row(
            name: "T2", title: "check of a manifest of 1,000 feedbacks, whole process",
            referenceTitle: "empty Swift program with Foundation", unit: "ms", judged: .figure,
            moreIsBetter: false, reach: 300, then: 100, samples: samples)
    }

    /// Ten loops, each with a tenth of the feedbacks, no two of them alike.
    private static func manifest(feedbacks: Int) -> String {
        var text = "app.name = \"t2\"\n"
        for loop in 0..<10 {
            text += """
                [loops.loop\(loop)]
                state  = { a = 1, b = 2.5, name = "", on_line = true }
                events = { moved = { to = "int" }, named = { name = "string" } }
                [loops.loop\(loop).on]
                moved = { if = "event.to > state.a", set = { a = "event.to", b = "double(event.to) / 2.0" } }
                named = { set = { name = "event.name" } }
                [loops.loop\(loop).feedback]

                """
            for index in 0..<feedbacks / 10 {
                text += """
                    f\(index) = { effect = "std:print", when = "state.a > \(index) && state.on_line", \
                    args = ["state.name + string(state.a + \(index))"] }

                    """
            }
        }
        return text
    }
}
