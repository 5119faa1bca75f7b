import App
import Diagnostics
import Glibc
import HostLoop
import Manifest
import PluginHost
import References

/// Rows M1 and M2: a closed loop from a manifest. Its reducer is declared (M1) or a C function (M2). The
/// reference is the same loop, written by hand in C.
struct ManifestLoopRow {
    enum Kind: String {
        case declared = "M1"
        case native = "M2"
    }

    let kind: Kind
    /// The path of the program `spinhost`, which writes the header for the native reducer.
    let spinhost: String
    /// The folder with `step.so`.
    let plugins: String

    var steps = 2_000_000
    var clock: any LoopClock = ContinuousLoopClock()
    private var manifest: String { "\(plugins)/\(kind.rawValue.lowercased()).toml" }
    private var library: String { "\(plugins)/step.so" }

    func measure(rounds: Int) async throws -> Row {
        let app = try prepare()
        defer { app.close() }
        let samples = try await Row.sampling(
            rounds: rounds, figure: { try await ours(app) }, reference: { reference() })
        return Row(
            name: kind.rawValue,
            title: kind == .native
                ? "manifest loop with one C effect and a C reducer" : "manifest loop with one C effect",
            referenceTitle: "the same by hand in C, ffi_call", unit: "M steps/s", moreIsBetter: true,
            reach: kind == .native ? 0.25 : 0.2, then: 0.5, samples: samples)
    }

    func prepare() throws -> App {
        try BenchFile.write(Self.text(kind, steps: steps, library), to: manifest)
        if kind == .native { try compileReducer() }
        return try BenchApp.load(manifest, clock: clock)
    }

    /// The manifest of a loop of so many steps.
    ///
    /// - Parameter library: the path of `step.so`.
    static func text(_ kind: Kind, steps: Int, _ library: String) -> String {
        """
        app.name = "bench"
        [plugins.step]
        library = "\(library)"
        \(kind == .native ? "[plugins.count]\nlibrary = \"count.so\"" : "")
        [loops.count]
        state  = { n = 0, limit = \(steps) }
        events = { moved = { to = "int" } }
        until  = "state.n == state.limit"
        \(kind == .native ? "reducer = \"count:reduce\"" : "on.moved = { set = { n = \"event.to\" } }")
        [loops.count.feedback.step]
        effect = "step:step_toward"
        args   = ["state.n", "state.limit"]
        emit   = { event = "moved", to = "result" }

        """
    }

    /// Compiles `count.so` with the header of the manifest.
    private func compileReducer() throws {
        try Program.run([spinhost, "header", "--manifest", manifest, "-o", "\(plugins)/count.h"])
        try BenchFile.write(
            """
            #include "count.h"
            SPIN_PLUGIN("count", "1.0.0");
            static spin_status reduce(spin_reduction *step, count_state *state, const count_event *event) {
                (void)step;
                if (event->tag != COUNT_EVENT_MOVED)
                    return SPIN_UNHANDLED;
                state->n = event->as.moved.to;
                return SPIN_OK;
            }
            SPIN_REDUCER(reduce, count_state, count_event, "");

            """, to: "\(plugins)/count.c")
        try Program.run([
            "/usr/bin/env", "cc", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
            "-I\(plugins)/../../../Sources/CPluginABI/include", "\(plugins)/count.c", "-o",
            "\(plugins)/count.so",
        ])
    }

    func ours(_ app: App) async throws -> Double {
        let start = ContinuousClock.now
        let end = await app.start().end()
        let rate = Double(steps) / Stopwatch.seconds(since: start) / 1e6
        guard end.outcome == .done, end.counters.steps == steps else {
            throw BenchFault("\(kind.rawValue) did not end as expected: \(end)")
        }
        return rate
    }

    private func reference() -> Double {
        let function = unsafe StepFunction.address(in: library)
        let start = ContinuousClock.now
        let taken = unsafe reference_manifest_loop(function, Int64(steps))
        precondition(taken == steps, "the reference takes every step")
        return Double(steps) / Stopwatch.seconds(since: start) / 1e6
    }
}
