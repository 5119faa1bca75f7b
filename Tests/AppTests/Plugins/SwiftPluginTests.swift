import App
import Diagnostics
import Foundation
import PluginHost
import Testing
import TestSupport

/// A plugin written in Swift on `SpinPlugin`, built by CMake, in a running app.
@Suite(.timeLimit(.minutes(10))) struct SwiftPluginTests {
    private static let library = Project.root.appendingPathComponent(
        "build/Tests/Fixtures/swift-plugin/talker.so"
    ).path

    @Test func swiftEffects_printAnswerAndFail_throughTheHost() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.talker]
            library = "\(Self.library)"
            [loops.main]
            state  = { length = 0 }
            events = { greeted = { length = "int" } }
            [loops.main.on]
            greeted = { set = { length = "event.length" } }
            [loops.main.feedback]
            greet  = { effect = "talker:greet", args = ["'grün'"], emit = { event = "greeted", length = "result" } }
            refuse = { effect = "talker:refuse", when = "state.length == 10", args = ["'no more'"] }

            """)
        #expect(run.lines == ["start again", "hello grün", "stop again at 0"])
        #expect(run.steps == [#"{"length":0}"#, #"greeted{"length":10} {"length":10}"#])
        #expect(run.faults.count == 1)
        #expect(run.faults.first?.hasSuffix("feedback:refuse: `refuse` failed: no more") == true)
        #expect(end.outcome == .nothingLeft(unreached: []))
    }

    @Test func `each type of Swift crosses the border in both directions`() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.talker]
            library = "\(Self.library)"
            [loops.main]
            state  = { count = 0, done = false }
            until  = "state.done"
            [loops.main.events.all]
            b = "bool"
            u8 = "u8"
            text = "string"
            i16 = "i16"
            bytes = "bytes"
            f = "f32"
            time = "duration"
            instant = "timestamp"
            count = "u32"
            [loops.main.on]
            all = { set = { done = "true", count = "int(event.count)" } }
            [loops.main.feedback]
            echo = { effect = "talker:echo", args = ["true", "200u", "'grün'", "-300", "b'ab'", "0.5", "duration('1.5s')", "timestamp('2026-01-01T00:00:00Z')", "['a', 'bü']"] }

            """)
        #expect(end.outcome == .done)
        #expect(
            run.steps.last
                == #"all{"b":true,"u8":200,"text":"grün","i16":-300,"bytes":"YWI=","f":0.5,"time":"1.5s","instant":"2026-01-01T00:00:00Z","count":4} {"count":4,"done":true}"#
        )
    }

    /// A loop that keeps what the effect emits, until it has three counts.
    private static func manifest(
        _ effect: String, _ more: String = "", config: String = "word = 'grün', step = 7"
    ) -> String {
        """
        [plugins.talker]
        library = "\(Self.library)"
        config  = { \(config) }
        [loops.main]
        state  = { count = 0, times = 0, text = "" }
        events = { counted = { word = "string", count = "int" }, failed = { text = "string", code = "int" } }
        until  = "state.times == 3 || state.text != ''"
        [loops.main.on]
        counted = { set = { count = "event.count", times = "state.times + 1" } }
        failed  = { set = { count = "event.code", text = "event.text" } }
        [loops.main.feedback.watch]
        effect   = "talker:\(effect)"
        on-error = { event = "failed", text = "error.message", code = "error.code" }
        \(more)

        """
    }

    @Test func instance_livesWithItsSettings_andCountsOnThreadsOfTheHost() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest("count_on_thread", "trigger = \"state\"\ntimeout = \"1h\""))
        #expect(end.outcome == .done && end.abandoned == [])
        #expect(run.steps.last == #"counted{"word":"grün","count":21} {"count":21,"times":3,"text":""}"#)
        #expect(run.lines.first == "start grün")
        // What it runs on threads of the host may come to its end after that.
        #expect(run.lines.filter { $0.hasPrefix("stop grün at ") }.count == 1)
        #expect(run.lines.contains("until then"))
    }

    @Test func settings_thatCreateRefuses_endTheApp() async throws {
        let run = RecordedRun()
        let end = try await run.run(Self.manifest("count_on_thread", config: "word = ''"))
        #expect(end.outcome == .unavailable)
        #expect(end.failure?.message == "`talker` could not be created: there is no word")
    }

    @Test func services_areThereInSwift() async throws {
        let run = RecordedRun()
        let library = Project.root.appendingPathComponent("build/Tests/Fixtures/swift-plugin/reports.so")
        let app = try run.app(
            """
            [plugins.reports]
            library = "\(library.path)"
            [loops.main]
            state  = { text = "" }
            events = { failed = { text = "string" } }
            until  = "state.text != ''"
            on.failed = { set = { text = "event.text" } }
            [loops.main.feedback.watch]
            effect   = "reports:report"
            on-error = { event = "failed", text = "error.message" }

            """)
        defer { app.close() }
        _ = await app.start(observer: run).finished()
        #expect(run.steps.last?.contains(#""text":"reported""#) == true, "\(run.steps)")
        // It goes on after the end of its call.
        await waitUntil { run.logged.count >= 8 }
        #expect(
            run.logged == [
                #"reports 1: reported has_key=true attempt=1 text="größe = 2.5" load=0.5 none="""#,
                "reports 1: metric `le gauge`: it registered a metric with a name or help that is not valid: it gets none",
                "reports 1: metric `reports_total`: it added a value that is not finite to a metric, or a negative one to a counter: the metric keeps its value",
                #"reports 0: counted answers="[0, 0, 0, 0, 0, 0, -5, -5]""#,
                "reports 1: it gave a log line a field without a valid name or value: the line is written without the field",
                "reports 0: bad",
                "reports 1: effect `report`: it asked for the key of a call after the call was over: it gets none",
                "reports 0: over has_key=false attempt=0",
            ])
        let metrics = app.metrics
        #expect(metrics.map(\.name) == ["report_bytes", "report_load", "report_seconds", "reports_total"])
        #expect(metrics.map(\.plugin) == Array(repeating: "reports", count: 4))
        #expect(
            metrics[0].reading
                == .histogram(
                    sum: 2, count: 1, buckets: [.init(bound: 1, count: 0), .init(bound: 2, count: 1)]))
        #expect(metrics[1].reading == .value(2) && metrics[3].reading == .value(3.5))
        #expect(metrics[3].labels.map { "\($0.name)=\($0.value)" } == ["from=größe", "language=Swift"])
    }

    @Test func task_emitsAndFinishes() async throws {
        let run = RecordedRun()
        let end = try await run.run(Self.manifest("count_in_task", "args = [3]"))
        #expect(end.outcome == .done)
        #expect(run.steps.last == #"counted{"word":"grün","count":3} {"count":3,"times":3,"text":""}"#)
    }

    @Test func timer_emits_untilItsCallIsCancelled() async throws {
        let run = RecordedRun()
        let end = try await run.run(Self.manifest("count_by_timer"))
        #expect(end.outcome == .done)
        #expect(run.steps.last == #"counted{"word":"grün","count":21} {"count":21,"times":3,"text":""}"#)
        #expect(run.lines.filter { $0 == "no more counts" }.count == 1)
    }

    @Test func task_thatThrows_failsItsCall() async throws {
        let run = RecordedRun()
        let end = try await run.run(Self.manifest("throw_in_task"))
        #expect(end.outcome == .done)
        #expect(
            run.steps.last
                == #"failed{"text":"there is nothing to count","code":-1} {"count":-1,"times":0,"text":"there is nothing to count"}"#
        )
    }

    @Test func task_isCancelledWithItsCall() async throws {
        let run = RecordedRun()
        let app = try run.app(Self.manifest("sleep_in_task", "args = []"))
        defer { app.close() }
        let running = app.start(observer: run)
        // The task emits when it runs.
        await run.steps(2)
        #expect(running.running == ["watch"])
        running.stop()
        let end = await running.finished()
        #expect(end.outcome == .stopped && end.abandoned == [])
        // The call is over at once; its task wakes when a thread has time for it.
        await run.line("woken")
    }

    @Test(.inThisProcess("no version of a plugin in a worker is mapped or counted"))
    func instance_handsItsCountOver_toTheNextVersion() async throws {
        let folder = try TemporaryFolder()
        let library = folder.url("talker.so")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: Self.library))
        try bytes.write(to: library)
        let run = RecordedRun()
        let app = try run.app(
            """
            [plugins.talker]
            library = "\(library.path)"
            config  = { word = 'grün', step = 7 }
            [loops.main]
            state  = { count = 0 }
            events = { counted = { count = "int" } }
            on.counted = { set = { count = "event.count" } }
            [loops.main.feedback.count]
            effect  = "talker:count"
            trigger = "state"
            emit    = { event = "counted", count = "result" }

            """)
        defer { app.close() }
        let running = app.start(observer: run)
        await run.steps(5)
        // The same code in another file, with classes of the same names.
        bytes.append(0)
        try bytes.write(to: library, options: .atomic)
        let report = await app.swap("talker", in: running, deadline: .generous)
        #expect(report.outcome == .swapped && report.state == .carried, "\(report)")
        await run.steps(run.steps.count + 5)
        running.stop()
        _ = await running.finished()
        let counts = run.steps.dropFirst().compactMap {
            Int64($0.dropFirst(#"counted{"count":"#.count).prefix { $0.isNumber })
        }
        #expect(counts == (1...Int64(counts.count)).map { $0 * 7 })
        let functions = run.lines.map { $0.split(separator: " ").first.map(String.init) ?? "" }
        #expect(functions == ["start", "stop", "start", "stop"])
        await waitUntil { app.replacedLibraries.inUse == 0 }
        #expect(app.replacedLibraries.kept == 1 && app.replacedLibraries.unmapped == 0)
    }
}
