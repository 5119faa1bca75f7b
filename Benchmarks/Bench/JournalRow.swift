import App
import Journal

/// Row J1: the loop of row M1 with a journal, beside the same without; and J4, how many bytes of the journal one
/// step takes.
struct JournalRow {
    /// What the loop's state has besides its number.
    enum Kind: String {
        case numbers = "J1"
        case text = "J1 text"
        case list = "J1 list"
    }

    let kind: Kind
    /// The folder with `step.so`, where the journal is written too.
    let plugins: String

    // A run of about a second: its last commit should not count for much.
    private var steps: Int { kind == .list ? 20_000 : 8_000_000 }

    private var manifest: String {
        let (more, set) =
            switch kind {
            case .numbers: ("", "")
            case .text: (#", last = "a""#, #", last = "event.to % 2 == 0 ? 'even' : 'odd'""#)
            case .list:
                (
                    ", all = [\((0..<1000).map(String.init).joined(separator: ", "))]",
                    #", all = "state.all + [event.to]""#
                )
            }
        return BenchJournal.manifest(plugins, "", steps: steps, state: more, set: set)
    }

    func measure(rounds: Int) async throws -> [Row] {
        let path = "\(plugins)/journal.toml"
        try BenchFile.write(manifest, to: path)
        let app = try BenchApp.load(path)
        defer { app.close() }
        var bytes: [Double] = []
        let samples = try await Row.sampling(
            rounds: rounds,
            figure: {
                let (rate, size) = try await journaled(app)
                bytes.append(size)
                return rate
            }, reference: { try await rate(app.makeRun()) })
        let title =
            switch kind {
            case .numbers: "M1 with a batched journal"
            case .text: "the same with a text in the state"
            case .list: "the same with a list of 1,000 that grows"
            }
        var rows = [
            Row(
                name: kind.rawValue, title: title, referenceTitle: "without a journal", unit: "M steps/s",
                moreIsBetter: true, reach: kind == .numbers ? 0.7 : 0.3, then: kind == .numbers ? 0.85 : nil,
                samples: samples)
        ]
        if kind == .numbers {
            rows.append(
                Row(
                    name: "J4", title: "one step in the journal", referenceTitle: "an entry of 21 bytes",
                    unit: "bytes", judged: .figure, moreIsBetter: false, reach: 20, then: 12,
                    samples: bytes.map { Row.Sample(figure: $0, reference: 21) }))
        }
        return rows
    }

    private func journaled(_ app: App) async throws -> (rate: Double, bytes: Double) {
        let file = BenchJournal(of: app, in: plugins)
        let (journal, _) = try file.open()
        let rate = try await rate(app.makeRun(journal: journal))
        let size = try file.reader().store.size()
        return (rate, Double(size.chunkBytes) / Double(steps))
    }

    private func rate(_ run: AppRun) async throws -> Double {
        let start = ContinuousClock.now
        run.start()
        let end = await run.end()
        let rate = Double(steps) / Stopwatch.seconds(since: start) / 1e6
        guard end.outcome == .done, end.counters.steps == steps else {
            throw BenchFault("\(kind.rawValue) did not end as expected: \(end)")
        }
        return rate
    }
}
