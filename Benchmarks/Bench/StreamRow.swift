import Glibc

/// Row P3: `spinhost --json` writes each step of M1's loop to a file. The reference writes the same lines with
/// `fwrite`.
struct StreamRow {
    /// The path of `spinhost`.
    let program: String
    /// The folder with `step.so`, where the files are written.
    let plugins: String

    private static let steps = 300_000
    private var output: String { "\(plugins)/p3.jsonl" }

    func measure(rounds: Int) async throws -> Row {
        let manifest = "\(plugins)/p3.toml"
        try BenchFile.write(
            ManifestLoopRow.text(.declared, steps: Self.steps, "\(plugins)/step.so"), to: manifest)
        let command = [
            "/bin/sh", "-c", "exec \"$0\" --manifest \"$1\" --json >\"$2\"", program, manifest, output,
        ]
        try Program.run(command)
        let lines = try BenchFile.text(of: output).split(separator: "\n").map { Array("\($0)\n".utf8) }
        guard lines.count > Self.steps else { throw BenchFault("P3 printed \(lines.count) lines") }
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: { Double(Self.steps) / (try Program.milliseconds(command)) },
            reference: { try write(lines) })
        return Row(
            name: "P3", title: "--json of M1's loop to a file, whole process",
            referenceTitle: "fwrite of the same lines",
            unit: "k steps/s", moreIsBetter: true, reach: 0.2, then: 0.5, samples: samples)
    }

    private func write(_ lines: [[UInt8]]) throws -> Double {
        let start = ContinuousClock.now
        // Safe because the file is open between the two calls, and each count is the array's own.
        guard let file = unsafe fopen("\(plugins)/p3.reference", "w") else {
            throw BenchFault("cannot write in \(plugins)")
        }
        for line in lines { unsafe fwrite(line, 1, line.count, file) }
        guard unsafe fclose(file) == 0 else { throw BenchFault("cannot write in \(plugins)") }
        return Double(Self.steps) / Stopwatch.seconds(since: start) / 1e3
    }
}
