import App
import Glibc
import Manifest
import Records

/// Rows J2 and J3: a loop whose steps are on the disk before their effects begin.
struct DurableRow {
    /// The folder with `step.so`, where the journal is written too.
    let plugins: String

    /// J2: each step needs the effect of the one before, so each has a commit of its own. Beside it, the disk alone.
    func steps(rounds: Int) async throws -> Row {
        let steps = 3_000
        let app = try app(
            BenchJournal.manifest(plugins, Self.durable, steps: steps))
        defer { app.close() }
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                let file = BenchJournal(of: app, in: plugins)
                let run = app.makeRun(journal: try file.open().journal)
                let start = ContinuousClock.now
                run.start()
                let end = await run.end()
                guard end.outcome == .done else { throw BenchFault("J2 did not end as expected: \(end)") }
                return Double(steps) / Stopwatch.seconds(since: start) / 1e3
            }, reference: { try syncs(steps) })
        return Row(
            name: "J2", title: "a closed loop, each step on the disk first",
            referenceTitle: "a write of 64 bytes and fdatasync", unit: "k steps/s", moreIsBetter: true,
            reach: 0.7, then: 0.9, samples: samples)
    }

    /// J3: a hundred threads emit events, and each event has an effect. Beside it, the disk alone.
    func producers(rounds: Int) async throws -> Row {
        let (threads, each) = (100, 2_000)
        let app = try app(
            """
            app.name = "bench"
            [app.journal]
            file = "bench.journal"
            \(Self.durable)
            [plugins.step]
            library = "\(plugins)/step.so"
            [loops.count]
            state   = { n = 0 }
            mailbox = { capacity = \(threads * each) }
            events  = { go = {} }
            until   = "state.n == \(threads * each)"
            on.go   = { set = { n = "state.n + 1" } }
            [loops.count.feedback.step]
            effect   = "step:step_toward"
            args     = ["state.n", "0"]
            on       = "go"
            strategy = "continue-on-new-state"
            """)
        defer { app.close() }
        let event = Record(app.manifest.loops[0].events[0].type)
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                let file = BenchJournal(of: app, in: plugins)
                let port = AppPort(app.manifest, statesCame: {})
                let run = app.makeRun(port: port, journal: try file.open().journal)
                let start = ContinuousClock.now
                run.start()
                let producers = try (0..<threads).map { _ in
                    try BenchThread {
                        var left = each
                        // The loop may not have begun yet.
                        while left > 0 {
                            if (try? port.send(event: 0, payload: event, toLoop: 0)) == nil {
                                sched_yield()
                            } else {
                                left -= 1
                            }
                        }
                    }
                }
                let end = await run.end()
                let rate = Double(threads * each) / Stopwatch.seconds(since: start) / 1e3
                for producer in producers { producer.join() }
                guard end.outcome == .done else { throw BenchFault("J3 did not end as expected: \(end)") }
                return rate
            }, reference: { try syncs(1_000) })
        return Row(
            name: "J3", title: "a hundred threads emit, each step on the disk before its effect",
            referenceTitle: "a write of 64 bytes and fdatasync", unit: "k events/s", judged: .figure,
            moreIsBetter: true, reach: 200, then: 500, samples: samples)
    }

    private static let durable = "durable = \"every-step\""

    private func app(_ manifest: String) throws -> App {
        let path = "\(plugins)/durable.toml"
        try BenchFile.write(manifest + "\n", to: path)
        return try BenchApp.load(path)
    }

    /// How many thousand times a second the disk takes a small write.
    private func syncs(_ count: Int) throws -> Double {
        let path = "\(plugins)/bench-\(UInt32.random(in: 0 ... .max)).syncs"
        // Safe because the path is borrowed for the calls.
        let file = unsafe open(path, O_CREAT | O_WRONLY | O_EXCL, 0o600)
        guard file >= 0 else { throw BenchFault("`\(path)` cannot be made") }
        defer {
            close(file)
            unsafe _ = unlink(path)
        }
        let bytes = [UInt8](repeating: 7, count: 64)
        let start = ContinuousClock.now
        for _ in 0..<count {
            // Safe because the bytes are borrowed for the call.
            guard unsafe write(file, bytes, bytes.count) == bytes.count, fdatasync(file) == 0 else {
                throw BenchFault("`\(path)` cannot be written")
            }
        }
        return Double(count) / Stopwatch.seconds(since: start) / 1e3
    }
}
