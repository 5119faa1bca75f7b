import App
import Diagnostics
import Glibc
import Manifest
import PluginHost
import References

/// Row M1: a closed loop from a manifest against the same written by hand in C.
struct ManifestLoopRow {
    /// The folder with `step.so`.
    let plugins: String

    func measure(rounds: Int) async throws -> Row {
        let library = "\(plugins)/step.so"
        let app = try load(library: library, steps: 2_000_000)
        defer { app.close() }
        let steps = 2_000_000
        let samples = try await Row.sampling(
            rounds: rounds, figure: { try await ours(app, steps) }, reference: { reference(library, steps) })
        return Row(
            name: "M1", title: "manifest loop with one C effect",
            referenceTitle: "the same by hand in C, ffi_call",
            unit: "M steps/s", moreIsBetter: true, reach: 0.2, then: 0.5, samples: samples)
    }

    private func load(library: String, steps: Int) throws -> App {
        let path = "\(plugins)/m1.toml"
        try BenchFile.write(
            """
            app.name = "m1"
            [plugins.step]
            library = "\(library)"
            [loops.count]
            state  = { n = 0, limit = \(steps) }
            events = { moved = { to = "int" } }
            until  = "state.n == state.limit"
            [loops.count.on]
            moved = { set = { n = "event.to" } }
            [loops.count.feedback.step]
            effect = "step:step_toward"
            args   = ["state.n", "state.limit"]
            emit   = { event = "moved", to = "result" }
            """, to: path)
        let loaded = App.loadManifest(path: path)
        guard let manifest = loaded.manifest else {
            throw BenchFault("the manifest of M1 is invalid: \(loaded.diagnostics.map(\.message))")
        }
        return try App(manifest, log: { _ in }, output: { _ in true })
    }

    private func ours(_ app: App, _ steps: Int) async throws -> Double {
        let start = ContinuousClock.now
        let end = await app.start().end()
        let rate = Double(steps) / Stopwatch.seconds(since: start) / 1e6
        guard end.outcome == .done, end.counters.steps == steps else {
            throw BenchFault("M1 ended otherwise: \(end)")
        }
        return rate
    }

    private func reference(_ library: String, _ steps: Int) -> Double {
        // Safe because the plugin was built for this benchmark, and its constant has the header's type.
        let handle = unsafe dlopen(library, RTLD_NOW | RTLD_LOCAL)
        let constant = unsafe dlsym(handle, "spin_effect_step_toward")
        guard let constant = unsafe constant else { preconditionFailure("step.so has the effect") }
        let function = unsafe reference_effect_function(constant)
        let start = ContinuousClock.now
        let taken = unsafe reference_manifest_loop(function, Int64(steps))
        precondition(taken == steps, "the reference takes every step")
        return Double(steps) / Stopwatch.seconds(since: start) / 1e6
    }
}
