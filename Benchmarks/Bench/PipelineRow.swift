/// Rows P1 and P2: `examples/pipeline` reads a log, as a process. The references are the same work in C++ and in
/// Python.
struct PipelineRow {
    /// The paths of `spinhost`, of examples/pipeline/app.toml, and of Benchmarks/pipeline.
    let program, manifest, references: String
    /// Where the log is written.
    let folder: String

    private static let lines = 1_000_000
    private var log: String { "\(folder)/access.log" }

    func measure(rounds: Int) async throws -> [Row] {
        try writeLog()
        let compiled = "\(folder)/pipeline"
        try Program.run([
            "/usr/bin/env", "c++", "-O2", "-std=c++17", "\(references)/pipeline.cpp", "-lre2", "-o", compiled,
        ])
        return [
            try await row(
                "P1", "the same by hand in C++: RE2, getline", [compiled], reach: 0.2, then: 0.5, rounds),
            try await row(
                "P2", "the same in Python: re, sys.stdin",
                ["/usr/bin/env", "python3", "\(references)/pipeline.py"], reach: 2, then: 4, rounds),
        ]
    }

    private func row(
        _ name: String, _ title: String, _ reference: [String], reach: Double, then: Double, _ rounds: Int
    ) async throws -> Row {
        let wanted = try output(of: reference)
        let ours = [program, "--manifest", manifest, "--quiet"]
        let samples = try await Row.sampling(
            rounds: rounds, figure: { try rate(of: ours, wanted) },
            reference: { try rate(of: reference, wanted) })
        return Row(
            name: name, title: "examples/pipeline on a log of 1,000,000 lines", referenceTitle: title,
            unit: "k lines/s", moreIsBetter: true, reach: reach, then: then, samples: samples)
    }

    private func rate(of command: [String], _ wanted: String) throws -> Double {
        let start = ContinuousClock.now
        let output = try output(of: command)
        let seconds = Stopwatch.seconds(since: start)
        guard output == wanted else { throw BenchFault("\(command[0]) printed \(output), not \(wanted)") }
        return Double(Self.lines) / seconds / 1e3
    }

    private func output(of command: [String]) throws -> String {
        try Program.run(
            ["/bin/sh", "-c", "log=$1; shift; exec \"$@\" <\"$log\"", "sh", log] + command, readsOutput: true)
    }

    private func writeLog() throws {
        var text = ""
        for index in 0..<Self.lines {
            let status = [200, 200, 304, 404, 503, 200, 206][index % 7]
            let bytes = index % 11 == 0 ? "-" : "\(index * 37 % 50_000)"
            text +=
                "192.0.2.\(index % 251) - - [10/Nov/2026:13:55:36 +0000] \"GET /pages/\(index % 9_973).html HTTP/1.1\" \(status) \(bytes)\n"
        }
        try BenchFile.write(text, to: log)
    }
}
