import App
import Diagnostics
import Foundation
import Manifest
import PluginHost
import Testing
import TestSupport

private let library = Project.root.appendingPathComponent("build/Tests/Fixtures/rust-plugin/ticker.so").path

/// A plugin written in Rust on the crate `spinhost`, built by Cargo, in a running app.
@Suite(
    .enabled(if: FileManager.default.fileExists(atPath: library), "there is no `cargo` on this machine"),
    .timeLimit(.minutes(10)))
struct RustPluginTests {
    /// A loop that keeps what the effect emits, until it has three counts or a failure.
    private static func manifest(_ effect: String, _ more: String = "", config: String = "") -> String {
        """
        [plugins.ticker]
        library = "\(library)"
        config  = { word = 'grün', step = 7\(config) }
        [loops.main]
        state  = { count = 0, times = 0, text = "" }
        events = { ticked = { word = "string", count = "int" }, failed = { text = "string", code = "int" } }
        until  = "state.times == 3 || state.text != ''"
        [loops.main.on]
        ticked = { set = { count = "event.count", times = "state.times + 1" } }
        failed = { set = { count = "event.code", text = "event.text" } }
        [loops.main.feedback.watch]
        effect   = "ticker:\(effect)"
        on-error = { event = "failed", text = "error.message", code = "error.code" }
        \(more)

        """
    }

    @Test func `an instance has its settings, and work emits from threads of the host`() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest("tick_in_work", "trigger = \"state\"\ntimeout = \"1h\""))
        #expect(end.outcome == .done && end.abandoned == [])
        #expect(run.steps.last == #"ticked{"word":"grün","count":21} {"count":21,"times":3,"text":""}"#)
        #expect(run.lines.first == "start grün")
        // Work that began before the end may print after `stop`, and before the instance is dropped.
        #expect(run.lines.last == "drop grün" && run.lines.filter { $0 == "stop grün" }.count == 1)
        #expect(run.lines.contains("until then"))
    }

    @Test func `a poll emits, and its run has a key and a metric`() async throws {
        let run = RecordedRun()
        let app = try run.app(Self.manifest("tick_by_poll"))
        defer { app.close() }
        let end = await app.start(observer: run).finished()
        #expect(end.outcome == .done)
        #expect(run.steps.last == #"ticked{"word":"grün","count":21} {"count":21,"times":3,"text":""}"#)
        #expect(app.metrics.map(\.name) == ["polls_total"])
        #expect(app.metrics.first?.reading == .value(3))
    }

    @Test func `bytes are shared, an argument is kept, and a log line has fields`() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.ticker]
            library = "\(library)"
            [loops.main]
            state  = { sizes = { type = ["int"] }, bytes = { type = "bytes" } }
            events = { frame = { bytes = "bytes" } }
            until  = "size(state.sizes) == 2"
            on.frame = { set = { sizes = "state.sizes + [size(event.bytes)]", bytes = "event.bytes" } }
            [loops.main.feedback.film]
            effect = "ticker:film"
            args   = ["b'\(String(repeating: "x", count: 5000))'"]

            """)
        #expect(end.outcome == .done)
        #expect(run.faults == [])
        #expect(run.steps.last?.contains(#""sizes":[5000,10000]"#) == true)
        #expect(
            run.logged.contains("ticker 1: filmed size=10000 kind=frame half=0.5 same=true"), "\(run.logged)")
    }

    @Test func `a timer emits until its call is cancelled`() async throws {
        let run = RecordedRun()
        let end = try await run.run(Self.manifest("tick_by_timer", config: ", pause = '0s'"))
        #expect(end.outcome == .done)
        #expect(run.steps.last == #"ticked{"word":"grün","count":21} {"count":21,"times":3,"text":""}"#)
    }

    @Test func `a function is called when its call is cancelled`() async throws {
        let run = RecordedRun()
        let app = try run.app(Self.manifest("until_cancelled", "emits.ticked = []\nargs = []"))
        defer { app.close() }
        let running = app.start(observer: run)
        await run.line("waits")
        running.stop()
        let end = await running.finished()
        #expect(end.outcome == .stopped && end.abandoned == [])
        #expect(run.lines == ["start grün", "waits", "cancelled", "stop grün", "drop grün"])
    }

    @Test func `an instance reads its secret, and takes over changed settings`() async throws {
        let folder = try TemporaryFolder()
        try folder.write("token", "sesame")
        func manifest(_ step: Int, word: String = "grün") throws -> Manifest {
            try RecordedRun.manifest(
                """
                [plugins.ticker]
                library = "\(library)"
                config  = { word = "\(word)", step = \(step), token = { file = "token" } }
                [loops.main]
                state  = { count = 0 }
                events = { ticked = { count = "int" } }
                on.ticked = { set = { count = "event.count" } }
                [loops.main.feedback.tick]
                effect  = "ticker:tick"
                trigger = "state"
                emit    = { event = "ticked", count = "result" }

                """, in: folder)
        }
        let run = RecordedRun()
        let app = try App(
            manifest(7), log: { run.log($0) }, output: { run.print($0) }, workerProgram: WorkerMode.program)
        defer { app.close() }
        let running = app.start(observer: run)
        await run.steps(3)
        let follower = try await app.succeed(running, by: manifest(1000), observer: run, deadline: .generous)
            .get()
        defer { follower.app.close() }
        #expect(
            follower.settings == [SettingsReport(instance: "ticker of main", outcome: .accepted, reason: nil)]
        )
        await run.steps(run.steps.count + 3)
        let last = try await follower.app.succeed(
            follower.run, by: manifest(7, word: "rot"), observer: run, deadline: .generous
        ).get()
        defer { last.app.close() }
        #expect(
            last.settings == [
                SettingsReport(
                    instance: "ticker of main", outcome: .renewed,
                    reason:
                        "`ticker` does not take over its changed settings: another word needs a new instance")
            ])
        await run.line("drop grün")
        last.run.stop()
        _ = await last.run.finished()
        #expect(
            run.lines.prefix(3) == ["<secret> of 6 bytes", "start grün", "step 7 to 1000"])
        #expect(run.lines.suffix(2) == ["stop rot", "drop rot"])
    }

    @Test(arguments: [
        ("word = ''", "created: there is no word", []),
        ("half = 0.25", "created: 0.25 is no half", []),
        ("works = false", "started: UNSUPPORTED", ["drop again"]),
    ])
    func `an instance that fails ends the app with the reason`(
        _ config: String, _ message: String, _ lines: [String]
    ) async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.ticker]
            library = "\(library)"
            config  = { \(config) }
            [loops.main]
            state    = { n = 0 }
            events   = { ticked = { n = "int" } }
            on       = { ticked = { set = { n = "event.n" } } }
            feedback = { tick = { effect = "ticker:tick", emit = { event = "ticked", n = "result" } } }

            """)
        #expect(end.outcome == .unavailable)
        #expect(end.failure?.message == "`ticker` could not be \(message)")
        #expect(run.lines == lines)
    }

    @Test func `the result of a checked effect is its failure`() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(
                "add", "args = [2, -5]\nemit = { event = \"ticked\", word = \"''\", count = \"result\" }"))
        #expect(end.outcome == .done)
        #expect(
            run.steps.last?.hasPrefix(#"failed{"text":"it returned -3","code":-1}"#) == true, "\(run.steps)")
    }

    @Test func `an instance hands its count over to the next version`() async throws {
        let folder = try TemporaryFolder()
        let copy = folder.url("ticker.so")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: library))
        try bytes.write(to: copy)
        let run = RecordedRun()
        let app = try run.app(
            """
            [plugins.ticker]
            library = "\(copy.path)"
            config  = { step = 7 }
            [loops.main]
            state  = { count = 0 }
            events = { ticked = { count = "int" } }
            on.ticked = { set = { count = "event.count" } }
            [loops.main.feedback.tick]
            effect  = "ticker:tick"
            trigger = "state"
            emit    = { event = "ticked", count = "result" }

            """)
        defer { app.close() }
        let running = app.start(observer: run)
        await run.steps(5)
        // The same code in another file.
        bytes.append(0)
        try bytes.write(to: copy, options: .atomic)
        let report = await app.swap("ticker", in: running, deadline: .generous)
        #expect(report.outcome == .swapped && report.state == .carried, "\(report)")
        await run.steps(run.steps.count + 5)
        running.stop()
        _ = await running.finished()
        let counts = run.steps.dropFirst().compactMap {
            Int64($0.dropFirst(#"ticked{"count":"#.count).prefix { $0.isNumber })
        }
        #expect(counts == (1...Int64(counts.count)).map { $0 * 7 })
        let functions = run.lines.map { $0.split(separator: " ").first.map(String.init) ?? "" }
        #expect(functions.filter { $0 != "drop" } == ["start", "stop", "start", "stop"])
        #expect(functions.filter { $0 == "drop" }.count == 2)
    }
}
