import App
import Foundation
import TestSupport
import Testing

/// Plugins in workers that end their process, or hold it up: the app continues, and each call has failed once.
@Suite(.timeLimit(.minutes(10)))
struct WorkerEndTests {
    private static let plugin = Result {
        let file = Project.root.appendingPathComponent("Tests/Fixtures/plugins/ends_worker.c")
        return try CompiledPlugin(try String(contentsOf: file, encoding: .utf8))
    }

    /// A loop that calls `effect` with 7, and then `twice` with 21.
    private static func manifest(_ effect: String, sandbox: String = "", feedback: String = "") -> String {
        """
        [plugins.bad]
        library = "./lib.so"
        isolation = "process"
        [plugins.bad.sandbox]
        restart = { backoff = ["1ms", "10ms"], limit = 1000, within = "1m" }
        cancel-grace = "50ms"
        \(sandbox)
        [loops.main]
        state = { phase = 0, code = 0, why = "", result = 0 }
        events = { failed = { code = "int", why = "string" }, returned = { value = "int" }, heard = { number = "int" } }
        until = "state.result == 42"
        [loops.main.on]
        failed = { set = { phase = 1, code = "event.code", why = "event.why" } }
        returned = { set = { result = "event.value" } }
        heard = { set = { phase = "state.phase" } }
        [loops.main.feedback.ends]
        effect = "bad:\(effect)"
        args = ["7"]
        on-error = { event = "failed", code = "error.code", why = "error.message" }
        \(feedback)
        [loops.main.feedback.lives]
        when = "state.phase == 1"
        effect = "bad:twice"
        args = ["21"]
        retry = 3
        emit = { event = "returned", value = "result" }
        """
    }

    private static func run(_ manifest: String) async throws -> (run: RecordedRun, end: AppEnd) {
        let run = RecordedRun()
        return (run, try await run.run(manifest, plugin: try plugin.get()))
    }

    @Test(arguments: [
        ("crash", "SIGSEGV"), ("leave", "exit code 7"), ("stop", "SIGABRT"), ("kill_group", "SIGKILL"),
        ("kill_parent", "SIGTERM"), ("close_all", "SIGABRT"), ("reset_handlers", "SIGSEGV"),
        ("overflow", "SIGSEGV"),
    ])
    func end_failsTheCall_andTheNextProcessMakesTheNextCall(_ effect: String, _ reason: String) async throws {
        let (run, end) = try await Self.run(Self.manifest(effect))
        #expect(end.outcome == .done)
        let failed = try #require(run.steps.first { $0.hasPrefix("failed") })
        #expect(failed.contains(#""code":-1130"#) && failed.contains(reason), "\(failed)")
        #expect(run.steps.filter { $0.hasPrefix("failed") }.count == 1)
        #expect(run.logged.contains { $0.contains(reason) }, "\(run.logged)")
    }

    @Test func memoryBeyondTheLimit_endsTheWorker() async throws {
        let (run, end) = try await Self.run(Self.manifest("eat", sandbox: "memory = \"256MiB\""))
        #expect(end.outcome == .done)
        #expect(
            run.steps.contains { $0.contains(#""code":-1130"#) && $0.contains("SIGABRT") }, "\(run.steps)")
    }

    @Test(arguments: ["hang", "spin"])
    func callThatIgnoresItsCancellation_isEndedWithItsWorker(_ effect: String) async throws {
        let (run, end) = try await Self.run(Self.manifest(effect, feedback: "timeout = \"20ms\""))
        #expect(end.outcome == .done)
        #expect(run.steps.contains { $0.contains(#""code":-1010"#) }, "\(run.steps)")
        #expect(run.logged.contains { $0.contains("did not return within") }, "\(run.logged)")
    }

    @Test func processorTimeBeyondTheLimit_endsTheWorker() async throws {
        let (run, end) = try await Self.run(Self.manifest("spin", sandbox: "cpu = \"100ms\""))
        #expect(end.outcome == .done)
        #expect(
            run.steps.contains { $0.contains(#""code":-1130"#) && $0.contains("of processor time") },
            "\(run.steps)")
    }

    @Test func memoryFullOfRubbish_endsTheWorker() async throws {
        let (run, end) = try await Self.run(Self.manifest("scribble"))
        #expect(end.outcome == .done)
        #expect(
            run.steps.contains { $0.contains(#""code":-1130"#) && $0.contains("must not send") },
            "\(run.steps)")
    }

    @Test func emissionBeforeTheEnd_counts() async throws {
        let (run, end) = try await Self.run(
            Self.manifest(
                "emit_and_die",
                feedback: "emits = { heard = { event = \"heard\", number = \"value.number\" } }"))
        #expect(end.outcome == .done)
        #expect(run.steps.filter { $0.hasPrefix("heard") }.count == 1)
        #expect(
            run.steps.contains { $0.contains(#""code":-1130"#) && $0.contains("exit code 3") }, "\(run.steps)"
        )
    }

    @Test func tooManyEnds_letTheWorkerRest_andCallsFailAtOnce() async throws {
        let folder = try TemporaryFolder()
        let manifest = try RecordedRun.manifest(
            """
            [plugins.bad]
            library   = "\(try Self.plugin.get().file.path)"
            isolation = "process"
            sandbox   = { restart = { backoff = ["1ms", "1h"], limit = 2, within = "1h" } }
            [loops.main]
            state     = { failures = 0, why = "" }
            events    = { failed = { why = "string" } }
            until     = "state.failures == 3"
            on.failed = { set = { failures = "state.failures + 1", why = "event.why" } }
            [loops.main.feedback.ends]
            effect   = "bad:stop"
            args     = ["7"]
            trigger  = "state"
            on-error = { event = "failed", why = "error.message" }

            """, in: folder)
        let record = RecordedRun()
        let app = try App(
            manifest, log: { record.log($0) }, output: { record.print($0) },
            workerProgram: WorkerMode.program)
        defer { app.close() }
        #expect(app.pluginStates.map(\.standing) == [.trusted] && app.pluginStates[0].reason == nil)
        _ = await app.start(observer: record).finished()
        let why = "its worker has ended 2 times within 3600.0 seconds"
        #expect(record.steps.last?.contains("`stop` was not called: \(why)") == true, "\(record.steps)")
        #expect(app.pluginStates.map(\.standing) == [.resting] && app.pluginStates[0].reason == why)
    }
}
