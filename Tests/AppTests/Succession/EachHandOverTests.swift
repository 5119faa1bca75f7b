import App
import HostLoopTesting
import Manifest
import Records
import TestSupport
import Testing

/// Runs for items go on where the app of another manifest is.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EachHandOverTests {
    /// A loop that has a run for each of its items, which prints, says so, and waits before it does.
    private static func greeting(
        _ state: String, until: String = "false", gears: String = "", also: String = ""
    ) -> String {
        """
        [gears.line]
        messages = { \(gears) item = { n = "int" } }
        [loops.main]
        state  = { \(state) }
        events = { change = { items = "[int]" } }
        until  = "\(until)"
        on.change = { set = { items = "event.items" } }
        [loops.main.feedback.greet]
        effect  = "std:print"
        args    = ["'item ' + string(item)"]
        trigger = { each = "state.items" }
        delay   = "10s"
        [loops.main.feedback.send]
        trigger = { each = "state.items" }
        send    = { gear = "line", message = "item", n = "item" }
        [loops.receiver]
        state   = { got = [0] }
        events  = { got = { n = "int" } }
        until   = "size(state.got) == 5"
        receive = { line.item = { event = "got", n = "message.n" } }
        on.got  = { set = { got = "state.got + [event.n]" } }
        \(also)

        """
    }

    private func change(_ items: [Int64], _ port: AppPort, of app: App) throws {
        let event = app.manifest.loops[0].events[0]
        let payload = try Record(event.type, jsonValue: .record([("items", .list(items.map(Value.int)))]))
        #expect(try port.send(event: 0, payload: payload, toLoop: 0) == .queued)
    }

    /// The app of another manifest that goes on, and a port to it.
    private func follow(
        _ world: SwapWorld, _ run: AppRun, _ text: String
    ) async throws -> (App.Follower, AppPort) {
        var port: AppPort?
        let follower = try await world.handOver(
            run, to: text,
            port: {
                let made = AppPort($0, statesCame: {})
                port = made
                return made
            }
        ).get()
        return (follower, try #require(port))
    }

    @Test func runsForItems_continueSeparately() async throws {
        let clock = ManualClock()
        let world = try SwapWorld(
            Self.greeting("items = [1, 2]"), SwapWorld.plugin(1, version: "1"), clock: clock)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        // The states that the loops begin in, and what was sent.
        await world.record.steps(4)
        await waitUntil { run.running.contains("greet") }
        clock.advance(by: .seconds(6))
        let (follower, port) = try await follow(
            world, run,
            Self.greeting(
                "items = [1, 2], more = 0", gears: "other = {},", also: "[loops.third]\nstate = { k = 1 }"))
        defer { follower.app.close() }
        #expect(await run.finished().outcome == .followed)
        // An item goes, one comes, and one stays as it is.
        try change([3, 2], port, of: follower.app)
        // Three initial states, the change, and the message for the new item alone.
        await world.record.steps(9)
        clock.advance(by: .seconds(4))
        await world.record.line("item 2")
        #expect(world.record.lines == ["item 2"])
        clock.advance(by: .seconds(6))
        await world.record.line("item 3")
        #expect(world.record.lines == ["item 2", "item 3"])
        #expect(world.record.steps.last == #"got{"n":3} {"got":[0,1,2,3]}"#)
        #expect(world.record.faults == [])
        follower.run.stop()
        #expect(await follower.run.finished().counters.lostMessages == 0)
    }

    @Test func itemsOfALoopThatHasEnded_areNotRunForAgain() async throws {
        let world = try SwapWorld(
            Self.greeting("items = [1, 2]", until: "size(state.items) == 2"),
            SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        // With a port it goes on when nothing is left.
        let run = world.app.makeRun(
            observer: world.record, port: AppPort(world.app.manifest, statesCame: {}))
        run.start()
        await world.record.steps(4)
        let (follower, port) = try await follow(
            world, run,
            Self.greeting("items = [1, 2]", until: "size(state.items) == 3", gears: "other = {},"))
        defer { follower.app.close() }
        try change([2, 4, 1], port, of: follower.app)
        await world.record.steps(8)
        #expect(world.record.steps.last == #"got{"n":4} {"got":[0,1,2,4]}"#)
        follower.run.stop()
        #expect(await follower.run.finished().counters.lostMessages == 0)
    }
}
