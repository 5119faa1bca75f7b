import App
import Diagnostics
import Glibc
import HostLoop
import References

/// An app whose plugin is swapped repeatedly while its loop calls the plugin as fast as it can.
final class SwapBench {
    private let folder: String
    private let original: String
    private let app: App
    private let run: AppRun
    private let steps = Steps()
    private var version = 0

    /// Waits for steps.
    private final class Steps: AppObserver {
        private let waiting = Lock<CheckedContinuation<Void, Never>?>(nil)

        func stepped(_ step: AppStep) { waiting.exchange(nil)?.resume() }

        func next() async {
            await withCheckedContinuation { continuation in _ = waiting.exchange(continuation) }
        }
    }

    /// - Parameter plugins: the folder with `step.so`; its copies go there too.
    init(plugins: String) throws {
        (folder, original) = (plugins, "\(plugins)/step.so")
        let path = "\(plugins)/s1.toml"
        try BenchFile.write(
            """
            app.name = "bench"
            [plugins.step]
            library = "\(plugins)/swapped.so"
            [loops.count]
            state  = { n = 0 }
            events = { moved = { to = "int" } }
            on.moved = { set = { n = "1 - event.to" } }
            [loops.count.feedback.step]
            effect  = "step:step_toward"
            args    = ["state.n", 1]
            trigger = "state"
            emit    = { event = "moved", to = "result" }

            """, to: path)
        try Self.place(original, version: 0, at: "\(plugins)/swapped.so")
        app = try BenchApp.load(path)
        run = app.start(observer: steps)
    }

    /// Replaces the library by another version: the same one with other bytes behind its end.
    private static func place(_ original: String, version: Int, at path: String) throws {
        try Program.run(["/bin/cp", original, "\(path).new"])
        // Safe because the path and the mode are NUL-terminated copies for the calls, and the file is open
        // between them.
        guard let file = unsafe fopen("\(path).new", "a") else { throw BenchFault("cannot write \(path)") }
        // Some file systems write a file to disk when it replaces another one.
        _ = unsafe unlink(path)
        guard unsafe fputs("\(version)", file) >= 0, unsafe fclose(file) == 0,
            unsafe rename("\(path).new", path) == 0
        else { throw BenchFault("cannot write \(path)") }
    }

    /// Swaps once. Returns the seconds until the new version was called, and the pause of the loop in
    /// seconds.
    func swap() async throws -> (whole: Double, pause: Double) {
        version += 1
        try Self.place(original, version: version, at: "\(folder)/swapped.so")
        let start = ContinuousClock.now
        let report = await app.swap("step", in: run)
        await steps.next()
        let whole = Stopwatch.seconds(since: start)
        guard report.outcome == .swapped, let pause = report.pause else {
            throw BenchFault("a swap was \(report.outcome): \(report.reasons.map(\.message))")
        }
        return (whole, pause / .seconds(1))
    }

    /// The same by hand: copy, `dlopen`, call. Returns seconds.
    func reference() throws -> Double {
        let start = ContinuousClock.now
        // Safe because the texts are NUL-terminated copies for the call.
        let answer = unsafe reference_reload(
            original, "\(folder)/reloaded-\(version).so", "step_toward", 1, 2)
        guard answer == 2 else { throw BenchFault("the reference cannot reload \(original)") }
        return Stopwatch.seconds(since: start)
    }

    /// Ends the app.
    func end() async {
        run.stop()
        _ = await run.end()
        app.close()
    }
}
