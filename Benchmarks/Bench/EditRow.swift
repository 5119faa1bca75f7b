import Glibc

/// Row S3: the time from a saved C source to the new code, under `spinhost dev`, without the time of the
/// compiler alone.
struct EditRow {
    let spinhost: String
    /// The folder for the project.
    let folder: String

    private var source: String { "\(folder)/edited.c" }

    func measure(rounds: Int) async throws -> Row {
        try save(0)
        try BenchFile.write(
            """
            app.name = "bench-edit"
            [plugins.edited]
            library  = "\(folder)/edited/edited.so"
            source   = "\(source)"
            build    = ["cc", "-O1", "-shared", "-fPIC", "-o", "\(folder)/edited/edited.so", "\(source)"]
            declares = "long edited(long n);"
            [loops.main]
            state  = { n = 0 }
            events = { moved = { to = "int" } }
            [loops.main.feedback.edited]
            effect = "edited:edited"
            args   = ["state.n"]

            """, to: "\(folder)/s3.toml")
        // Safe because the paths are NUL-terminated copies for the calls, which may fail.
        _ = unsafe mkdir("\(folder)/edited", 0o700)
        _ = unsafe unlink("\(folder)/edited/edited.so")
        let dev = try Listening([
            spinhost, "dev", "--manifest", "\(folder)/s3.toml",
        ])
        defer { dev.end() }
        try dev.wait(for: "listening at")
        // `dev` has looked at the unchanged sources by now.
        var version = 0
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                version += 1
                Stopwatch.sleep(until: Stopwatch.nanoseconds() + 300_000_000)
                let start = ContinuousClock.now
                try save(version)
                try dev.wait(for: "swapped")
                let whole = Stopwatch.seconds(since: start) * 1e3
                return whole - (try compile())
            }, reference: { try compile() })
        return Row(
            name: "S3", title: "save of a source in C to the new code, above the compiler",
            referenceTitle: "the compiler alone", unit: "ms", judged: .figure, moreIsBetter: false,
            reach: 300, then: 100, samples: samples)
    }

    private func save(_ version: Int) throws {
        try BenchFile.write("long edited(long n) { return n + \(version); }\n", to: source)
    }

    private func compile() throws -> Double {
        try Program.milliseconds([
            "/usr/bin/env", "cc", "-O1", "-shared", "-fPIC", "-o", "\(folder)/compiled.so", source,
        ])
    }
}
