import App
import Glibc
import Journal

/// Rows J5 to J7: how soon a journal is read.
struct RecoveryRow {
    /// The folder with `step.so`, where the journal is written too.
    let plugins: String

    private static let steps = 10_000_000

    /// J5: an app continues from a journal of ten million steps without a snapshot, whose pages are not in memory.
    /// Beside it, the bytes of the file are read.
    func recovery(rounds: Int) async throws -> Row {
        let app = try app(steps: Self.steps, snapshot: "64GiB")
        defer { app.close() }
        let file = try await filled(app)
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                try file.forgetPages()
                let start = ContinuousClock.now
                // No snapshot is read, also not the one of the run's end.
                let point = try file.reader().all()
                let seconds = Stopwatch.seconds(since: start)
                guard point.state.loops[0].step == Self.steps, point.damage == nil else {
                    throw BenchFault("J5 read another state")
                }
                return seconds
            },
            reference: {
                try file.forgetPages()
                return try readAll(file.path)
            })
        return Row(
            name: "J5", title: "read ten million steps without a snapshot",
            referenceTitle: "read the bytes of the file", unit: "s", judged: .figure, moreIsBetter: false,
            reach: 2, then: 0.5, samples: samples)
    }

    /// J6: an app opens a journal of a gigabyte that ended in order. Beside it, a new one.
    func start(rounds: Int) async throws -> Row {
        let steps = 1_000_000
        let app = try app(steps: steps, snapshot: "16MiB", more: 1_000)
        defer { app.close() }
        let file = try await filled(app)
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: { try opened(file) },
            reference: { try opened(BenchJournal(of: app, in: plugins)) })
        let above = samples.map {
            Row.Sample(figure: max(0, $0.figure - $0.reference), reference: $0.reference)
        }
        return Row(
            name: "J6", title: "open a journal of 1 GB, above a new one",
            referenceTitle: "open a new journal",
            unit: "ms", judged: .figure, moreIsBetter: false, reach: 50, then: 10, samples: above)
    }

    /// J7: the state at any of ten million steps, with the snapshots of the default. Beside it, the whole is read.
    func point(rounds: Int) async throws -> Row {
        let app = try app(steps: Self.steps, snapshot: "16MiB")
        defer { app.close() }
        let file = try await filled(app)
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                let reader = try file.reader()
                let start = ContinuousClock.now
                for _ in 0..<10 {
                    let position = UInt64.random(in: 3...UInt64(Self.steps))
                    guard try reader.point(upTo: position).state.next == position + 1 else {
                        throw BenchFault("J7 read another point")
                    }
                }
                return Stopwatch.seconds(since: start) * 1e3 / 10
            },
            reference: {
                let start = ContinuousClock.now
                _ = try file.reader().all()
                return Stopwatch.seconds(since: start) * 1e3
            })
        return Row(
            name: "J7", title: "the state at one of ten million steps", referenceTitle: "read all of them",
            unit: "ms", judged: .figure, moreIsBetter: false, reach: 100, then: 20, samples: samples)
    }

    /// - Parameter more: the length of a text that each step changes.
    private func app(steps: Int, snapshot: String, more: Int = 0) throws -> App {
        let (text, set) =
            more == 0
            ? ("", "")
            : (
                ", last = \"\"",
                ", last = \"(event.to % 2 == 0 ? 'e' : 'o') + '\(String(repeating: "x", count: more))' + string(event.to)\""
            )
        let path = "\(plugins)/recovery.toml"
        let keys = "snapshot = \"\(snapshot)\""
        try BenchFile.write(
            BenchJournal.manifest(plugins, keys, steps: steps, state: text, set: set), to: path)
        return try BenchApp.load(path)
    }

    /// A journal of a whole run.
    private func filled(_ app: App) async throws -> BenchJournal {
        let file = BenchJournal(of: app, in: plugins)
        // The second run makes the snapshots for which the first one has no time.
        for _ in 1...2 {
            let journal = try file.open().journal
            let run = app.makeRun(journal: journal)
            run.start()
            let end = await run.end()
            journal.close()
            guard end.outcome == .done else {
                throw BenchFault("the run that fills a journal did not end as expected: \(end)")
            }
        }
        return file
    }

    private func opened(_ file: BenchJournal) throws -> Double {
        let start = ContinuousClock.now
        let (journal, _) = try file.open()
        let milliseconds = Stopwatch.seconds(since: start) * 1e3
        journal.close()
        return milliseconds
    }

    private func readAll(_ path: String) throws -> Double {
        // Safe because the path is borrowed for the call.
        let file = unsafe open(path, O_RDONLY)
        guard file >= 0 else { throw BenchFault("`\(path)` cannot be read") }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let start = ContinuousClock.now
        // Safe because the buffer is borrowed for the call.
        while unsafe read(file, &buffer, buffer.count) > 0 {}
        return Stopwatch.seconds(since: start)
    }
}
