import Diagnostics
import Foundation
import HostLoop
import HostLoopTesting
import Manifest
import PluginHost
import Records
import TestSupport
import Testing

@testable import App

/// Apps that go on where the app of another manifest is.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ManifestHandOverTests {
    private func send(
        _ event: String, _ fields: [(String, Value)] = [], to port: AppPort, of manifest: Manifest
    ) throws {
        let model = manifest.loops[0]
        let index = try #require(model.events.firstIndex { $0.name == event })
        let payload = try Record(model.events[index].type, jsonValue: .record(fields))
        #expect(try port.send(event: index, payload: payload, toLoop: 0) == .queued)
    }

    /// A loop that counts what a pending call emits, and has an effect beside it.
    private static func watching(
        _ state: String, step: String = "state.n + 1", more: String = "", plugin: String = ""
    ) -> String {
        SensorSource.plugin(plugin) + """
            [loops.main]
            state  = { \(state) }
            events = { counted = { count = "int", by = "int" }, end = {} }
            until  = "state.n >= 1000"
            [loops.main.on]
            counted = { set = { n = "\(step)" } }
            end     = { set = { n = "state.n + 1000" } }
            [loops.main.feedback.watch]
            effect = "sensor:watch"
            emits.counted = { event = "counted", count = "value.n", by = "value.by" }
            [loops.main.feedback.say]
            effect = "std:print"
            args   = ["'n is ' + string(state.n)"]
            \(more)

            """
    }

    @Test(arguments: ["", "instance = \"app\""])
    func statesRunsAndInstancesContinue(plugin: String) async throws {
        let world = try SwapWorld(
            Self.watching("n = 0", plugin: plugin), SensorSource(version: 1).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        await world.record.lines(4)
        let before = world.record.lines
        #expect(before == ["create 1", "start 1", "n is 0", "n is 1"])
        let port = Lock<AppPort?>(nil)
        let follower = try await world.handOver(
            run,
            to: Self.watching(
                "m = 7, n = 0", step: "state.n + 10",
                more: """
                    [loops.main.feedback.also]
                    effect = "std:print"
                    args   = ["'m is ' + string(state.m)"]
                    """, plugin: plugin),
            port: { manifest in
                let made = AppPort(manifest, statesCame: {})
                port.withLock { $0 = made }
                return made
            }
        ).get()
        defer { follower.app.close() }
        #expect(await run.finished().outcome == .followed)
        await world.record.steps(3)
        #expect(world.record.steps.last == #"{"m":7,"n":1}"#)
        // Only what is new has run: the call that goes on was not cancelled, and `n` is no other.
        await world.record.lines(5)
        #expect(world.record.lines == before + ["m is 7"])
        #expect(follower.run.running.contains("watch"))
        try send("end", to: try #require(port.withLock { $0 }), of: follower.app.manifest)
        let end = await follower.run.finished()
        #expect(end.outcome == .done)
        #expect(end.counters.steps == 2)
        #expect(end.counters.faults == 0)
        #expect(
            world.record.lines == before + ["m is 7", "n is 1001", "cancelled 1", "stop 1", "destroy 1"])
    }

    @Test func changedFeedback_restarts_andAnUnchangedOneContinues() async throws {
        let world = try SwapWorld(Self.watching("n = 0"), SensorSource(version: 1).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        let changed = Self.watching("n = 0").replacing(
            "count = \"value.n\"", with: "count = \"value.n * 2\"")
        let follower = try await world.handOver(run, to: changed).get()
        defer { follower.app.close() }
        await world.record.steps(4)
        // The call was cancelled, and another one made, for the same instance.
        #expect(world.record.steps.last == #"counted{"count":4,"by":1} {"n":2}"#)
        #expect(
            world.record.lines.filter { $0.hasSuffix(" 1") && !$0.hasPrefix("n is") } == [
                "create 1", "start 1", "cancelled 1",
            ])
        let gone = Self.watching("n = 0").replacing(
            "effect = \"sensor:watch\"", with: "disabled = true\neffect = \"sensor:watch\"")
        let last = try await world.handOver(follower.run, of: follower.app, to: gone).get()
        defer { last.app.close() }
        #expect(await follower.run.finished().outcome == .followed)
        #expect(world.record.lines.suffix(3) == ["cancelled 1", "stop 1", "destroy 1"])
        #expect(await last.run.finished().outcome == .nothingLeft(unreached: ["main"]))
    }

    private static func worldWithSettings() throws -> SwapWorld {
        try SwapWorld(
            watching("n = 0", plugin: "config = { most = 3 }"),
            SensorSource(version: 1, settings: "(int32_t, most, 3, 0, 9, \"The most.\")").text)
    }

    @Test func whatIsInTheWay_changesNothing() async throws {
        let world = try Self.worldWithSettings()
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        await world.record.lines(4)
        let lines = world.record.lines
        let other = Self.watching("n = 1.5", step: "state.n + 1.0", plugin: "config = { most = 3 }")
            .replacing("state.n + 1000", with: "1000.0").replacing("state.n >= 1000", with: "state.n > 9.0")
        guard case .failure(let reasons) = try await world.handOver(run, to: other) else {
            Issue.record("the type of a field is another one")
            return
        }
        #expect(reasons.diagnostics.map(\.code.rawValue) == ["P090"])
        #expect(run.running == ["watch"])
        // An instance with other settings is another one; it was made and started, and is gone again.
        #expect(world.record.lines == lines)
        run.stop()
        #expect(await run.finished().outcome == .stopped)
    }

    @Test(.inThisProcess("no version of a plugin in a worker is mapped or counted"))
    func otherSettings_areAnotherInstance() async throws {
        let world = try Self.worldWithSettings()
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        let follower = try await world.handOver(
            run, to: Self.watching("n = 0", plugin: "config = { most = 4 }")
        ).get()
        defer { follower.app.close() }
        #expect(await run.finished().outcome == .followed)
        await world.record.steps(4)
        follower.run.stop()
        let end = await follower.run.finished()
        #expect(end.outcome == .stopped)
        let replaced = end.counters.replaced
        #expect(replaced.inUse + replaced.unmapped + replaced.kept == 1)
        let lines = world.record.lines.filter { !$0.hasPrefix("n is") }
        #expect(lines.prefix(4) == ["create 1", "start 1", "create 1", "start 1"])
        #expect(lines.count { $0 == "destroy 1" } == 2)
        #expect(lines.count { $0 == "cancelled 1" } == 2)
    }

    @Test func versionOnProbation_continues_andItsProbationEnds() async throws {
        let world = try SwapWorld(Self.watching("n = 0"), SensorSource(version: 1).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        try world.build(SensorSource(version: 2).text)
        try await world.swap("sensor", in: run)
        await world.record.steps(3)
        let follower = try await world.handOver(run, to: Self.watching("n = 0, m = 1")).get()
        defer { follower.app.close() }
        await world.record.steps(4)
        #expect(follower.run.running.contains("watch"))
        follower.run.stop()
        #expect(await follower.run.finished().outcome == .stopped)
        #expect(
            world.record.lines.filter { !$0.hasPrefix("n is") } == [
                "create 1", "start 1", "create 2", "cancelled 1", "stop 1", "save 1", "restore 2", "start 2",
                "destroy 1", "cancelled 2", "stop 2", "destroy 2",
            ])
    }

    /// A loop whose steps may hang in a call.
    private static func blocking(by: Int) -> String {
        SensorSource.plugin() + """
            [loops.main]
            state  = { n = 0 }
            events = { go = {}, add = { by = "int" }, done = {} }
            until  = "state.n >= 90"
            [loops.main.on]
            add  = { set = { n = "state.n + event.by * \(by)" } }
            [loops.main.feedback.block]
            effect = "sensor:block"
            on     = ["go"]

            """
    }

    @Test(.inThisProcess("a call in a worker holds up no loop"))
    func loopThatDoesNotFinishItsStep_preventsTheChange_andWaitingEventsAreKept() async throws {
        let gate = Pipe()
        let world = try SwapWorld(
            Self.blocking(by: 1),
            SensorSource(version: 1, hangs: "block", gate: gate.fileHandleForReading.fileDescriptor).text)
        defer { world.app.close() }
        let port = AppPort(world.app.manifest, statesCame: {})
        let run = world.app.makeRun(observer: world.record, port: port)
        run.start()
        await world.record.steps(1)
        try send("go", to: port, of: world.app.manifest)
        await world.record.line("block 1")
        guard
            case .failure(let reasons) = try await world.handOver(
                run, to: Self.blocking(by: 10), deadline: .seconds(2))
        else {
            Issue.record("the loop is in a step")
            return
        }
        #expect(reasons.diagnostics.map(\.code.rawValue) == ["P092"])
        for by in [1, 2] as [Int64] { try send("add", [("by", .int(by))], to: port, of: world.app.manifest) }
        async let handed = world.handOver(
            run, to: Self.blocking(by: 10), port: { AppPort($0, statesCame: {}) })
        try gate.fileHandleForWriting.close()
        let follower = try await handed.get()
        defer { follower.app.close() }
        // Whoever knows only the port before is heard.
        try send("add", [("by", .int(9))], to: port, of: world.app.manifest)
        let end = await follower.run.finished()
        #expect(end.outcome == .done)
        #expect(end.counters.discarded == 0)
        #expect(end.counters.events == 4)
        #expect(world.record.steps.last?.hasPrefix(#"add{"by":9}"#) == true)
    }

    @Test(.inThisProcess("a worker's answer to the last state comes after the end of its loop"))
    func manyInARow_underLoad_loseNothing() async throws {
        let manifest = { (until: Int, more: String) in
            SwapWorld.manifest(until: until, more: more)
        }
        let world = try SwapWorld(manifest(2, ""), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        var (app, run) = (world.app, world.app.start(observer: world.record))
        for round in 0..<20 {
            let seen = world.record.steps.count
            await world.record.steps(seen + 5)
            let more = "[loops.other\(round)]\nstate = { k = \(round) }"
            let follower = try await world.handOver(run, of: app, to: manifest(2, more)).get()
            #expect(await run.finished().outcome == .followed)
            if app !== world.app { app.close() }
            (app, run) = (follower.app, follower.run)
        }
        try world.build(SwapWorld.plugin(2, version: "2"))
        try #require(await app.swap("numbers", in: run, deadline: .generous).outcome == .swapped)
        let end = await run.finished()
        app.close()
        #expect(end.outcome == .done)
        #expect(end.counters.swaps == 1)
        #expect(end.counters.withdrawn == 0)
        #expect(end.counters.discarded == 1, "the answer to the last state")
        #expect(end.counters.drops == 0)
        #expect(world.record.faults == [])
        #expect(world.record.steps.last?.contains(#"{"n":\#(end.counters.steps),"answer":2}"#) == true)
    }

    @Test func runningDelay_continues() async throws {
        let clock = ManualClock()
        func manifest(_ more: String) -> String {
            """
            [loops.door]
            initial = "open"
            events  = { look = {} }
            [loops.door.states]
            open = {}
            shut = { \(more) }
            [loops.door.after]
            open = { delay = "10s", to = "shut" }
            """
        }
        let world = try SwapWorld(manifest(""), SwapWorld.plugin(1, version: "1"), clock: clock)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(1)
        await waitUntil { !run.running.isEmpty }
        clock.advance(by: .seconds(6))
        let follower = try await world.handOver(run, to: manifest("k = 3")).get()
        defer { follower.app.close() }
        await world.record.steps(2)
        clock.advance(by: .seconds(4))
        await world.record.steps(3)
        #expect(world.record.steps.last == #"after:open{"delay":"10s"} {"case":"shut","k":3}"#)
        #expect(await follower.run.finished().outcome == .nothingLeft(unreached: []))
    }

    @Test func messagesBetweenLoops_areNotLost() async throws {
        func manifest(_ more: String) -> String {
            """
            [gears.line]
            messages = { \(more) item = { n = "int" } }
            [loops.sender]
            state  = { n = 0 }
            events = { ticked = {} }
            until  = "state.n == 3000"
            on.ticked = { set = { n = "state.n + 1" } }
            [loops.sender.feedback.tick]
            effect = "std:every"
            args   = ["duration('1ms')"]
            emits.ticked = { event = "ticked" }
            [loops.sender.feedback.send]
            send = { gear = "line", message = "item", n = "state.n" }
            [loops.receiver]
            state   = { sum = 0, last = 0 }
            events  = { got = { n = "int" } }
            until   = "state.last == 3000"
            receive = { line.item = { event = "got", n = "message.n" } }
            on.got  = { set = { sum = "state.sum + event.n", last = "event.n" } }
            """
        }
        let world = try SwapWorld(manifest(""), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        var (app, run) = (world.app, world.app.start(observer: world.record))
        var rounds = 0
        // There are more than 6,000 steps, which take three seconds and more.
        for round in 1...10 {
            await world.record.steps(round * 50)
            let result = try await world.handOver(
                run, of: app, to: manifest(round % 2 == 0 ? "other = {}," : ""))
            // The app has ended.
            guard case .success(let follower) = result else { break }
            rounds += 1
            if app !== world.app { app.close() }
            (app, run) = (follower.app, follower.run)
        }
        #expect(rounds > 0)
        let end = await run.finished()
        app.close()
        #expect(end.outcome == .done)
        #expect(end.counters.lostMessages == 0)
        // Each once: the sum of 0 to 3000.
        #expect(world.record.steps.contains { $0.hasSuffix(#"{"sum":4501500,"last":3000}"#) })
    }
}
