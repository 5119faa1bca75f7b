import App
import Diagnostics
import Foundation
import Glibc
import HostLoop
import Testing
import TestSupport

/// Plugins with instances in running apps: who has one, in which order they live, and what happens when they do not.
@Suite(.timeLimit(.minutes(10))) struct InstanceRunTests {
    private static let sensor = Result {
        let file = Project.root.appendingPathComponent("Tests/Fixtures/plugins/instances.c")
        return try CompiledPlugin(try String(contentsOf: file, encoding: .utf8))
    }

    /// A loop that counts to three with the plugin `sensor`, whose effect adds one.
    private static func loop(_ name: String, until: String = "state.n >= 3") -> String {
        """
        [loops.\(name)]
        state  = { n = 0 }
        events = { counted = { n = "int" } }
        until  = "\(until)"
        [loops.\(name).on]
        counted = { set = { n = "event.n" } }
        [loops.\(name).feedback.count]
        effect  = "sensor:count"
        trigger = "state"
        when    = "state.n < 3"
        emit    = { event = "counted", n = "result" }

        """
    }

    private static func plugin(_ config: String, _ more: String = "") -> String {
        """
        [plugins.sensor]
        library = "./lib.so"
        config  = { \(config.isEmpty ? "" : config + ", ")rate = 1 }
        \(more)

        """
    }

    /// The two ends of a pipe: what hangs reads from the first until the second is closed.
    private struct Gate {
        let reading: Int32
        let writing: Int32

        init() {
            var ends: [Int32] = [0, 0]
            // Safe because there is room for both.
            let answer = unsafe ends.withUnsafeMutableBufferPointer { unsafe pipe($0.baseAddress!) }
            precondition(answer == 0)
            (reading, writing) = (ends[0], ends[1])
        }

        func open() { close(writing) }
    }

    @Test func instance_isMadeAndStartedBeforeTheLoop_andStoppedAndFreedAfterIt() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.plugin("name = 'it'") + Self.loop("main"), plugin: try Self.sensor.get())
        #expect(end.outcome == .done)
        #expect(end.abandoned == [])
        #expect(run.steps.last == #"counted{"n":3} {"n":3}"#)
        #expect(run.lines == ["create it", "start it", "stop it", "destroy it"])
    }

    @Test func arguments_followTheInstance() async throws {
        let run = RecordedRun()
        let text = (Self.plugin("") + Self.loop("main")).replacing(
            "\"sensor:count\"", with: "\"sensor:count_by\"\nargs    = [\"state.n + 7\"]")
        let end = try await run.run(text, plugin: try Self.sensor.get())
        #expect(end.outcome == .done)
        #expect(run.steps.last == #"counted{"n":7} {"n":7}"#)
    }

    @Test func eachRun_hasInstancesOfItsOwn() async throws {
        let run = RecordedRun()
        let app = try run.app(Self.plugin("") + Self.loop("main"), plugin: try Self.sensor.get())
        defer { app.close() }
        for _ in 0..<2 {
            let end = await app.start(observer: run).finished()
            #expect(end.outcome == .done)
        }
        #expect(run.lines.filter { $0 == "create sensor" }.count == 2)
        #expect(run.steps.filter { $0 == #"counted{"n":3} {"n":3}"# }.count == 2)
    }

    @Test func everyLoop_hasAnInstance_freedInReverse() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.plugin("") + Self.loop("a") + Self.loop("b"), plugin: try Self.sensor.get())
        #expect(end.outcome == .done)
        #expect(end.counters.steps == 6)
        #expect(
            run.lines.map { $0.prefix(6) } == [
                "create", "create", "start ", "start ", "stop s", "stop s", "destro", "destro",
            ])
    }

    @Test func sharedInstance_countsForAllLoops_oneCallAtATime() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.plugin("", "instance = \"app\"")
                + Self.loop("a", until: "state.n >= 100").replacing("state.n < 3", with: "state.n < 100")
                + Self.loop("b", until: "state.n >= 100").replacing("state.n < 3", with: "state.n < 100"),
            plugin: try Self.sensor.get())
        #expect(end.outcome == .done)
        #expect(run.lines == ["create sensor", "start sensor", "stop sensor", "destroy sensor"])
        // Every count is given out once.
        let counts = run.steps.compactMap { $0.split(separator: "}").first }.filter {
            $0.hasPrefix("counted")
        }
        #expect(Set(counts).count == counts.count)
    }

    @Test(arguments: [
        ("create", "`sensor` could not be created: there is no device", ["create one"]),
        (
            "start", "`sensor` could not be started: the device is taken",
            ["create one", "start one", "destroy one"]
        ),
    ])
    func failure_endsTheAppBeforeItsLoops(_ fails: String, _ message: String, _ lines: [String]) async throws
    {
        let run = RecordedRun()
        let end = try await run.run(
            Self.plugin("name = 'one', fails = '\(fails)'") + Self.loop("main"),
            plugin: try Self.sensor.get())
        #expect(end.outcome == .unavailable)
        #expect(end.failure?.message == message)
        #expect(end.failure?.code.rawValue == "P060")
        #expect(end.failure?.place?.span.start.line == 3 + WorkerMode.addedLines)
        #expect(run.steps == [])
        #expect(run.lines == lines)
    }

    @Test func failureOfOne_stopsAndFreesThoseBefore_inReverse() async throws {
        let run = RecordedRun()
        let first = Self.plugin("name = 'one'")
        let second = Self.plugin("name = 'two', fails = 'start'").replacing("sensor", with: "other")
        let other = Self.loop("b").replacing("sensor", with: "other")
        let end = try await run.run(
            first + second + Self.loop("a") + other, plugin: try Self.sensor.get())
        #expect(end.outcome == .unavailable)
        #expect(
            run.lines == [
                "create one", "create two", "start one", "start two", "stop one", "destroy two",
                "destroy one",
            ])
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"), arguments: ["stop", "destroy"])
    func functionThatHangsAfterAnotherFailed_isNamed_andLeftBehind(_ function: String) async throws {
        let gate = Gate()
        defer { gate.open() }
        let (run, clock) = (RecordedRun(), PacedClock())
        let second = Self.plugin("fails = 'start'").replacing("sensor", with: "other")
        let other = Self.loop("b").replacing("sensor", with: "other")
        let app = try run.app(
            Self.plugin("hangs = '\(function)', gate = \(gate.reading)") + second + Self.loop("a") + other,
            plugin: try Self.sensor.get(), clock: clock)
        defer { app.close() }
        let running = app.start(observer: run)
        await waitUntil { running.running.contains("\(function) of sensor of a") }
        clock.advance(by: AppRun.deadline)
        let end = await running.finished()
        #expect(end.outcome == .unavailable)
        #expect(end.failure?.message == "`sensor` could not be started: the device is taken")
        #expect(end.abandoned == ["\(function) of sensor of a"])
        #expect(run.steps == [])
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"), arguments: ["stop", "destroy"])
    func functionThatHangsAtTheEnd_isNamed_andLeftBehind(_ function: String) async throws {
        let gate = Gate()
        defer { gate.open() }
        let (run, clock) = (RecordedRun(), PacedClock())
        let app = try run.app(
            Self.plugin("hangs = '\(function)', gate = \(gate.reading)") + Self.loop("main"),
            plugin: try Self.sensor.get(), clock: clock)
        defer { app.close() }
        let running = app.start(observer: run)
        // One that the loop's end is due by may be taken back; the last is that of the plugins.
        await waitUntil { running.running.contains("\(function) of sensor of main") }
        clock.advance(by: AppRun.deadline)
        let end = await running.finished()
        #expect(end.outcome == .done)
        #expect(end.abandoned == ["\(function) of sensor of main"])
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func stopWhileAFunctionHangsAtTheBeginning_endsTheApp_andNamesIt() async throws {
        let gate = Gate()
        defer { gate.open() }
        let (run, clock) = (RecordedRun(), PacedClock())
        let app = try run.app(
            Self.plugin("hangs = 'start', gate = \(gate.reading)") + Self.loop("main"),
            plugin: try Self.sensor.get(), clock: clock)
        defer { app.close() }
        let running = app.start(observer: run)
        await waitUntil { running.running.contains("start of sensor of main") }
        running.stop()
        await clock.timers(1)
        clock.advance(by: AppRun.deadline)
        let end = await running.finished()
        #expect(end.outcome == .stopped)
        #expect(end.abandoned == ["start of sensor of main"])
        #expect(run.steps == [])
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func stopWhileAFunctionBegins_undoesWhatWasDone() async throws {
        let gate = Gate()
        let run = RecordedRun()
        let app = try run.app(
            Self.plugin("hangs = 'create', gate = \(gate.reading)") + Self.loop("main"),
            plugin: try Self.sensor.get(), clock: PacedClock())
        defer { app.close() }
        let running = app.start(observer: run)
        await waitUntil { !running.running.isEmpty }
        running.stop()
        // Stopping begins on a thread of its own; what hangs returns after it or before it.
        gate.open()
        let end = await running.finished()
        #expect(end.outcome == .stopped)
        #expect(run.lines.first == "create sensor" && run.lines.last == "destroy sensor")
    }

    @Test func runThatIsStoppedBeforeItStarts_makesNoInstance() async throws {
        let run = RecordedRun()
        let app = try run.app(Self.plugin("") + Self.loop("main"), plugin: try Self.sensor.get())
        defer { app.close() }
        let running = app.makeRun(observer: run)
        running.stop()
        running.start()
        let end = await running.finished()
        #expect(end.outcome == .stopped)
        #expect(run.lines == [])
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin")) func instanceInUse_isNotDestroyed()
        async throws
    {
        let gate = Gate()
        defer { gate.open() }
        let (run, clock) = (RecordedRun(), PacedClock())
        let app = try run.app(
            """
            [plugins.sensor]
            library = "./lib.so"
            [plugins.blocking]
            library = "./lib.so"
            instance = "app"
            config = { name = "blocking", hangs = "work", gate = \(gate.reading) }
            [loops.main]
            state = { n = 0 }
            events = { counted = { n = "int" } }
            [loops.main.on]
            counted = { set = { n = "event.n" } }
            [loops.main.feedback]
            one  = { effect = "sensor:count", emit = { event = "counted", n = "result" } }
            hang = { effect = "blocking:block" }

            """, library: try Self.blocking(), clock: clock)
        defer { app.close() }
        let running = app.start(observer: run)
        await run.line("work blocking")
        running.stop()
        await clock.timers(1)
        clock.advance(by: AppRun.deadline)
        let end = await running.finished()
        #expect(end.abandoned == ["hang"])
        #expect(run.lines.suffix(2) == ["stop sensor", "destroy sensor"])
        #expect(!run.lines.contains("stop blocking"))
    }

    /// The plugin with an effect that blocks.
    private static func blocking() throws -> String {
        let file = Project.root.appendingPathComponent("Tests/Fixtures/plugins/instances.c")
        return try String(contentsOf: file, encoding: .utf8) + """
            static int32_t block(spin_self *self) { return visit(self->config, "work"); }
            SPIN_EFFECT(int32_t, block, (spin_self *self), "");

            """
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func workOfAPlugin_isWaitedForBeforeItsInstanceIsFreed() async throws {
        let gate = Gate()
        let run = RecordedRun()
        let app = try run.app(
            Self.plugin("hangs = 'work', gate = \(gate.reading)") + """
                [loops.main]
                state = { n = 0 }
                events = { begun = {} }
                until = "state.n == 1"
                [loops.main.on]
                begun = { set = { n = "1" } }
                [loops.main.feedback.work]
                effect = "sensor:work_on"
                emit   = { event = "begun" }

                """, plugin: try Self.sensor.get(), clock: PacedClock())
        defer { app.close() }
        let running = app.start(observer: run)
        await waitUntil { run.lines.contains("stop sensor") && run.lines.contains("work sensor") }
        #expect(!run.lines.contains("destroy sensor"))
        #expect(running.running == ["work of sensor"])
        gate.open()
        let end = await running.finished()
        #expect(end.outcome == .done)
        #expect(end.abandoned == [])
        #expect(run.lines.last == "destroy sensor")
    }

    @Test func effectWithTokenAndInstance_emitsFromAThreadOfTheHost() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.plugin("") + """
                [loops.main]
                state  = { n = 0 }
                events = { counted = { n = "int" } }
                until  = "state.n == 5"
                [loops.main.on]
                counted = { set = { n = "event.n" } }
                [loops.main.feedback.count]
                effect  = "sensor:count_later"
                trigger = "state"

                """, plugin: try Self.sensor.get())
        #expect(end.outcome == .done)
        #expect(run.lines.filter { $0 == "work sensor" }.count >= 5)
        #expect(run.lines.last == "destroy sensor")
    }
}
