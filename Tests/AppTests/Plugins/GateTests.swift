import App
import Diagnostics
import Foundation
import HostLoop
import Manifest
import Records
import TestSupport
import Testing

/// What becomes of the calls for an instance while another one takes over.
@Suite(.serialized, .timeLimit(.minutes(10))) struct GateTests {
    /// A loop whose effect is asked by events from outside.
    private static func manifest(_ strategy: String, _ more: String = "", plugin: String = "") -> String {
        SensorSource.plugin(plugin) + """
            [loops.main]
            state  = { answers = "" }
            events = { asked = { n = "int" }, answered = { n = "int", by = "int" }, end = {} }
            until  = "state.answers.endsWith('.')"
            [loops.main.on]
            answered = { set = { answers = "state.answers + string(event.n) + 'v' + string(event.by) + ' '" } }
            end      = { set = { answers = "state.answers + '.'" } }
            [loops.main.feedback.ask]
            effect   = "sensor:echo"
            args     = ["event.n"]
            on       = ["asked"]
            strategy = "\(strategy)"
            emit     = { event = "answered", n = "result / 16", by = "result % 16" }
            \(more)

            """
    }

    @Test(
        .inThisProcess("it shares a descriptor with its plugin"),
        arguments: [
            ("continue-on-new-state", "", "", "1v2 2v2 3v2 4v2 5v2 "),
            ("queue", "", "", "1v2 2v2 3v2 4v2 5v2 "),
            ("cancel-on-new-match", "", "", "5v2 "),
            ("skip-while-running", "", "", "1v2 "),
            ("continue-on-new-state", "retry = 2", "", "1v2 2v2 3v2 4v2 5v2 "),
            ("continue-on-new-state", "", "instance = \"app\"", "1v2 2v2 3v2 4v2 5v2 "),
            ("queue", "retry = 2", "instance = \"app\"", "1v2 2v2 3v2 4v2 5v2 "),
        ])
    func callsWaitAsTheirStrategySays(
        strategy: String, more: String, plugin: String, answers: String
    ) async throws {
        let gate = Pipe()
        let world = try SwapWorld(
            Self.manifest(strategy, more, plugin: plugin), SensorSource(version: 1).text)
        defer { world.app.close() }
        let port = AppPort(world.app.manifest, statesCame: {})
        let run = world.app.makeRun(observer: world.record, port: port)
        run.start()
        await world.record.steps(1)
        try world.build(
            SensorSource(version: 2, hangs: "start", gate: gate.fileHandleForReading.fileDescriptor).text)
        async let report = world.app.swap("sensor", in: run, deadline: .generous)
        await world.record.line("start 2")
        let model = world.app.manifest.loops[0]
        func send(_ event: String, _ fields: [(String, Value)] = []) throws {
            let index = try #require(model.events.firstIndex { $0.name == event })
            let payload = try Record(model.events[index].type, jsonValue: .record(fields))
            #expect(try port.send(event: index, payload: payload, toLoop: 0) == .queued)
        }
        for n in 1...5 { try send("asked", [("n", .int(Int64(n)))]) }
        // The loop goes on: it has taken all of them, and none is answered.
        await world.record.steps(6)
        #expect(!world.record.steps.contains { $0.contains("answered") })
        try gate.fileHandleForWriting.close()
        #expect(await report.outcome == .swapped)
        let count = answers.split(separator: " ").count
        await world.record.steps(6 + count)
        try send("end")
        #expect(await run.finished().outcome == .done)
        #expect(world.record.steps.last?.contains(#"{"answers":"\#(answers)."}"#) == true)
        #expect(world.record.faults == [])
    }

    @Test(arguments: ["", "instance = \"app\""])
    func unfinishedCall_isCancelled_andMadeAgain(plugin: String) async throws {
        let world = try SwapWorld(
            SensorSource.watching(plugin), SensorSource(version: 1).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        for version in 2...3 {
            try world.build(SensorSource(version: version).text)
            try await world.swap("sensor", in: run)
            await world.record.steps(version + 1)
        }
        #expect(await run.finished().outcome == .done)
        #expect(
            Array(world.record.steps.dropFirst()) == [
                #"counted{"count":1,"by":1} {"n":1,"count":1,"by":1}"#,
                #"counted{"count":2,"by":2} {"n":2,"count":2,"by":2}"#,
                #"counted{"count":3,"by":3} {"n":3,"count":3,"by":3}"#,
            ])
        #expect(
            world.record.lines.filter { $0.hasPrefix("cancelled") } == [
                "cancelled 1", "cancelled 2", "cancelled 3",
            ])
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func aCallThatBlocksForLongerThanTheDeadline_keepsItsInstance() async throws {
        let gate = Pipe()
        let world = try SwapWorld(
            SensorSource.plugin("instance = \"app\"")
                + SensorSource.loop(until: "state.n == 2", effect: "block"),
            SensorSource(version: 1, hangs: "block", gate: gate.fileHandleForReading.fileDescriptor).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.line("block 1")
        try world.build(SensorSource(version: 2).text)
        let report = await world.app.swap("sensor", in: run, deadline: .seconds(5))
        #expect(report.outcome == .failed)
        #expect(report.reasons.map(\.message) == ["`a call of sensor` did not return within 5.0 seconds"])
        try gate.fileHandleForWriting.close()
        #expect(await run.finished().outcome == .done)
        #expect(world.record.steps.last?.contains(#""by":1}"#) == true)
    }

    @Test(.inThisProcess("a call in a worker holds up no loop")) func aLoopThatIsHeld_keepsItsInstance()
        async throws
    {
        let gate = Pipe()
        let world = try SwapWorld(
            SensorSource.plugin() + SensorSource.loop(until: "state.n == 2", effect: "block"),
            SensorSource(version: 1, hangs: "block", gate: gate.fileHandleForReading.fileDescriptor).text)
        defer { world.app.close() }
        // A loop that is held holds a thread of all loops.
        try world.compile(SensorSource(version: 2).text)
        let run = world.app.start(observer: world.record)
        await world.record.line("block 1")
        try world.install()
        let report = await world.app.swap("sensor", in: run, deadline: .milliseconds(500))
        #expect(report.outcome == .failed)
        #expect(
            report.reasons.map(\.message) == [
                "loop `main` did not reach the end of its step within 0.5 seconds"
            ])
        try gate.fileHandleForWriting.close()
        #expect(await run.finished().outcome == .done)
        #expect(world.record.steps.last?.contains(#""by":1}"#) == true)
    }

    @Test func swapsAskedForAtOnce_happenOneAfterTheOther() async throws {
        let world = try SwapWorld(
            SensorSource.plugin() + SensorSource.loop(until: "state.by == 2"), SensorSource(version: 1).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        try world.build(SensorSource(version: 2).text)
        async let first = world.app.swap("sensor", in: run, deadline: .generous)
        async let second = world.app.swap("sensor", in: run, deadline: .generous)
        let outcomes = await [first, second].map(\.outcome)
        #expect(Set(outcomes) == [.swapped, .unchanged])
        #expect(await run.finished().outcome == .done)
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"), arguments: ["create", "stop", "start"])
    func theAppThatEndsMeanwhile_stopsAndFreesWhatThereIs(function: String) async throws {
        let gate = Pipe()
        let reading = gate.fileHandleForReading.fileDescriptor
        let isOfOld = function == "stop"
        let world = try SwapWorld(
            SensorSource.plugin() + SensorSource.loop(until: "state.by == 3"),
            SensorSource(version: 1, hangs: isOfOld ? function : "", gate: reading).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        try world.build(SensorSource(version: 2, hangs: isOfOld ? "" : function, gate: reading).text)
        async let report = world.app.swap("sensor", in: run, deadline: .generous)
        let line = "\(function) \(isOfOld ? 1 : 2)"
        await world.record.line(line)
        run.stop()
        await waitUntil { !run.running.contains("ask") }
        try gate.fileHandleForWriting.close()
        let end = await run.finished()
        #expect(end.outcome == .stopped)
        _ = await report
        // Each that was made was freed, and each that was started was stopped.
        for version in 1...2 {
            for (begin, undo) in [("create", "destroy"), ("start", "stop")] {
                let begun = world.record.lines.filter { $0 == "\(begin) \(version)" }.count
                let undone = world.record.lines.filter { $0 == "\(undo) \(version)" }.count
                #expect(begun == undone, "\(world.record.lines)")
            }
        }
    }

    @Test(arguments: [
        ("(int32_t, rate, 5, \"\")", "(int32_t, rate, 5, \"\"), (int32_t, step, 1, \"\")", nil),
        (
            "(int32_t, rate, 5, \"\")", "(int32_t, rate, 5, \"\"), (int32_t, step, SPIN_REQUIRED, \"\")",
            "its setting `step` is new, and has no default"
        ),
        (
            "(int32_t, rate, 5, \"\")", "(spin_string, rate, \"\", \"\")",
            "its setting `rate` is `string`, not `i32`"
        ),
        (
            "(int32_t, rate, 5, \"\")", "(int32_t, rate, 5, 1, 6, \"\")",
            "its setting `rate` is 7, which is out of its range now"
        ),
        (
            "(int32_t, rate, 5, \"\")", "(int32_t, step, 5, \"\")",
            "it has no setting `rate` any more, but the app gives it a value"
        ),
        ("(int32_t, rate, 5, \"\"), (int32_t, step, 1, \"\")", "(int32_t, rate, 5, \"\")", nil),
    ])
    func settingsGoOver_orAreNamed(old: String, new: String, reason: String?) async throws {
        let world = try SwapWorld(
            SensorSource.plugin("config = { rate = 7 }") + SensorSource.loop(until: "state.by == 2"),
            SensorSource(version: 1, settings: old).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        try world.build(SensorSource(version: 2, settings: new).text)
        let report = await world.app.swap("sensor", in: run, deadline: .generous)
        guard let reason else {
            #expect(report.outcome == .swapped, "\(report)")
            #expect(await run.finished().outcome == .done)
            return
        }
        #expect(report.outcome == .refused)
        #expect(report.reasons.map(\.message) == [reason])
        #expect(report.reasons.map(\.code.rawValue) == ["P085"])
        run.stop()
        _ = await run.finished()
    }
}
