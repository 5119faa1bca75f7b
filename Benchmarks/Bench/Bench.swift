import Dispatch
import Glibc

/// Measures the rows and prints them, for `script/bench`.
///
/// Arguments: the build folder of the release, the folder of the benchmark's plugins, the manifest of
/// examples/levels. Then `--installed PROGRAM`, which script/install has installed, `--json`, `--only ROW`,
/// `--rounds N`, `--compare FILE`. `script/counts` gives only `--count NAME N`.
@main
enum Bench {
    static func main() {
        // The main thread of an `async` `main` ends before the program does, and valgrind cannot cope with
        // that.
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await run(Array(CommandLine.arguments.dropFirst())) } catch {
                BenchFile.complain("bench: \(error)\n")
                exit(1)
            }
            done.signal()
        }
        done.wait()
    }

    private static func run(_ arguments: [String]) async throws {
        let program = CommandLine.arguments[0]
        if arguments.count == 2, arguments[0] == "--peak",
            let side = ProducersRow.Side(rawValue: arguments[1])
        {
            return print(try ProducersRow(program: program).peakHere(of: side))
        }
        guard arguments.count >= 3 else { throw BenchFault("start it through script/bench") }
        let (release, plugins, manifest) = (arguments[0], arguments[1], arguments[2])
        if arguments.count == 6, arguments[3] == "--count", let count = Int(arguments[5]), count > 0 {
            return try await work(arguments[4], release: release, plugins: plugins).run(count)
        }
        var (isJSON, only, rounds, comparison) = (false, String?.none, 11, Comparison?.none)
        var installed: String?
        var rest = arguments[3...]
        while let option = rest.popFirst() {
            switch option {
            case "--json": isJSON = true
            case "--installed": installed = try value(of: option, &rest)
            case "--compare": comparison = try Comparison(path: value(of: option, &rest))
            case "--only": only = try value(of: option, &rest)
            case "--rounds":
                guard let number = Int(try value(of: option, &rest)), number > 0 else {
                    throw BenchFault("`--rounds` needs a number above 0")
                }
                rounds = number
            default:
                throw BenchFault(
                    "`\(option)` is unknown; there are `--json`, `--only ROW`, `--rounds N` and `--compare FILE`"
                )
            }
        }
        guard let installed else { throw BenchFault("start it through script/bench") }
        let manifestLoop = { (kind: ManifestLoopRow.Kind) in
            ManifestLoopRow(kind: kind, spinhost: "\(release)/spinhost", plugins: plugins)
        }
        let isolation = IsolationRow(spinhost: "\(release)/spinhost", plugins: plugins)
        let inspector = InspectorRow(spinhost: "\(release)/spinhost", plugins: plugins)
        let root = "\(plugins)/../../.."
        let pipeline = PipelineRow(
            program: "\(release)/spinhost", manifest: "\(root)/examples/pipeline/app.toml",
            references: "\(root)/Benchmarks/pipeline", folder: plugins)
        let catalogue: [(name: String, measure: (Int) async throws -> [Row])] = [
            ("L1", { [await ClosedLoopRow().measure(rounds: $0)] }),
            ("L2", { try await ProducersRow(program: program).measure(rounds: $0) }),
            ("L3", { try await LatencyRow().measure(rounds: $0) }),
            ("L4", { await IdleLoopRow().measure(rounds: $0) }),
            ("L5", { await KeyedRow().making(rounds: $0) }),
            ("L6", { [await KeyedRow().emitting(rounds: $0)] }),
            ("M1", { [try await manifestLoop(.declared).measure(rounds: $0)] }),
            ("M2", { [try await manifestLoop(.native).measure(rounds: $0)] }),
            ("M3", { [try await DispatchRow(plugins: plugins).measure(rounds: $0)] }),
            ("M4", { [try await AppRow.handOver(plugins).measure(in: plugins, rounds: $0)] }),
            ("G1", { [try await AppRow.gears().measure(in: plugins, rounds: $0)] }),
            ("P1", { try await pipeline.measure(rounds: $0) }),
            (
                "P3",
                {
                    let row = StreamRow(program: "\(release)/spinhost", plugins: plugins)
                    return [try await row.measure(rounds: $0)]
                }
            ),
            ("K1", { try await KindRow(plugins: plugins).making(rounds: $0) }),
            ("K2", { [try await KindRow(plugins: plugins).sending(rounds: $0)] }),
            ("J1", { try await JournalRow(kind: .numbers, plugins: plugins).measure(rounds: $0) }),
            ("J1 text", { try await JournalRow(kind: .text, plugins: plugins).measure(rounds: $0) }),
            ("J1 list", { try await JournalRow(kind: .list, plugins: plugins).measure(rounds: $0) }),
            ("J2", { [try await DurableRow(plugins: plugins).steps(rounds: $0)] }),
            ("J3", { [try await DurableRow(plugins: plugins).producers(rounds: $0)] }),
            ("J5", { [try await RecoveryRow(plugins: plugins).recovery(rounds: $0)] }),
            ("J6", { [try await RecoveryRow(plugins: plugins).start(rounds: $0)] }),
            ("J7", { [try await RecoveryRow(plugins: plugins).point(rounds: $0)] }),
            ("N1", { [try await AppRow.readiness(plugins).measure(in: plugins, rounds: $0)] }),
            ("N2", { [try await AppRow.buffers(plugins).measure(in: plugins, rounds: $0)] }),
            ("S1", { [try await SwapRow(plugins: plugins).measure(rounds: $0)] }),
            ("S2", { [try await SwapPauseRow(plugins: plugins).measure(rounds: $0)] }),
            (
                "S3",
                { [try await EditRow(spinhost: "\(release)/spinhost", folder: plugins).measure(rounds: $0)] }
            ),
            ("O1", { [try await inspector.watched(rounds: $0)] }),
            ("O2", { [try await inspector.latency(rounds: $0)] }),
            ("O3", { [try await inspector.scrape(rounds: $0)] }),
            ("I1", { try await isolation.calls(rounds: $0) }),
            ("I2", { [try await isolation.batches(rounds: $0)] }),
            ("I3", { [try await isolation.bytes(rounds: $0)] }),
            ("I4", { [try await isolation.restart(rounds: $0)] }),
            ("I5", { [try await isolation.memory(rounds: $0)] }),
            ("E1", { [try await ExpressionRow().measure(rounds: $0)] }),
            ("B1", { _ in [try SizeRow(installed: installed, built: "\(release)/spinhost").measure()] }),
            (
                "T1",
                {
                    let row = ColdStartRow(
                        program: installed, empty: "\(release)/EmptyFoundation", manifest: manifest,
                        folder: plugins)
                    return try await row.measure(rounds: $0 * 2)
                }
            ),
            (
                "T2",
                {
                    let row = CheckRow(
                        program: "\(release)/spinhost", empty: "\(release)/EmptyFoundation", folder: plugins)
                    return [try await row.measure(rounds: $0)]
                }
            ),
            (
                "T3",
                {
                    let row = KeystrokeRow(spinhost: "\(release)/spinhost", folder: plugins)
                    return try await row.measure(rounds: $0)
                }
            ),
        ]
        guard only == nil || catalogue.contains(where: { $0.name == only }) else {
            throw BenchFault("the rows are \(catalogue.map(\.name).joined(separator: ", "))")
        }
        var rows: [Row] = []
        for entry in catalogue where only ?? entry.name == entry.name {
            rows += try await entry.measure(rounds)
        }
        print(isJSON ? Table.json(rows) : Table.text(rows, comparedWith: comparison))
    }

    /// The work whose instructions `script/counts` counts.
    private static func work(_ name: String, release: String, plugins: String) throws -> CountedWork {
        if let scaling = ScalingWork(named: name, plugins: plugins) {
            return CountedWork(name: name, run: scaling.run)
        }
        let rows = CountedWork.rows(spinhost: "\(release)/spinhost", plugins: plugins)
        guard let row = rows.first(where: { $0.name == name }) else {
            throw BenchFault("the rows are \(rows.map(\.name).joined(separator: ", "))")
        }
        return row
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") else {
            throw BenchFault("`\(option)` needs a value")
        }
        return value
    }
}
