import App
import HostLoop
import HostLoopTesting
import Manifest
import Records
import Testing
import TestSupport

/// What a watched loop counts under the name of each feedback.
@Suite(.timeLimit(.minutes(10))) struct WatchedCountsTests {
    @Test func `a delay counts under its own name, whatever the order in the manifest`() async throws {
        let world = try JournalWorld(
            """
            [loops.main]
            initial = "a"
            shared  = { log = "" }
            states  = { a = {}, b = {} }
            [loops.main.after]
            a = { delay = "3h", set = { log = "state.log + '3'" } }
            b = { delay = "1h", set = { log = "state.log + '1'" } }

            """)
        let process = try JournalProcess(world, world.store)
        await waitUntil { process.clock.timerCount == 1 }
        process.port.watch(loop: 0)
        process.clock.advance(by: .seconds(3 * 3600))
        await waitUntil { process.port.watchedCounts(ofLoop: 0)?.runs.contains { $0.ended == 1 } == true }
        let events = world.manifest.loops[0].events
        let long = try #require(events.first { $0.delay?.duration == .seconds(3 * 3600) })
        let runs = try #require(process.port.watchedCounts(ofLoop: 0)?.runs)
        #expect(Set(runs.map(\.feedback)).count == 2)
        #expect(runs.filter { $0.ended == 1 }.map(\.feedback) == [long.name])
        process.port.unwatch(loop: 0)
        #expect(process.port.watchedCounts(ofLoop: 0) == nil)
        _ = await process.killed(world.store)
    }

    /// A loop that handles one event an hour, and then ignores another one.
    private static let hourly = """
        [loops.main]
        initial = "a"
        states  = { a = {}, b = {} }
        events  = { odd = {} }
        [loops.main.after]
        a = { delay = "1h", to = "b" }
        b = { delay = "1h", to = "a" }
        [loops.main.feedback.tell]
        effect = "std:print"
        args   = ["'in ' + string(state.case)"]

        """

    @Test func `a port that counts from the start has counts before, while and after somebody watches`()
        async throws
    {
        let world = try JournalWorld(Self.hourly)
        let process = try JournalProcess(world, world.store, countsFromStart: true)
        func handled() -> Int {
            let counts = process.port.watchedCounts(ofLoop: 0)
            return counts?.events[WatchedCounts.Origin.allCases.firstIndex(of: .after)!].handled ?? -1
        }
        func step() async throws {
            await waitUntil { process.clock.timerCount == 1 }
            let before = handled()
            process.clock.advance(by: .seconds(3600))
            await waitUntil { handled() == before + 1 }
        }
        try await step()
        #expect(handled() == 1)
        #expect(process.port.keptSteps(ofLoop: 0).isEmpty)
        let since = try #require(process.port.watchedCounts(ofLoop: 0)?.since)
        process.port.watch(loop: 0)
        try await step()
        #expect(process.port.keptSteps(ofLoop: 0).count == 1)
        process.port.unwatch(loop: 0)
        try await step()
        #expect(handled() == 3)
        #expect(process.port.keptSteps(ofLoop: 0).isEmpty)
        let counts = try #require(process.port.watchedCounts(ofLoop: 0))
        #expect(counts.since == since)
        // The first run is that of the initial state.
        let tell = try #require(counts.runs.first { $0.feedback == "tell" })
        #expect(tell.began >= 3 && tell.times.count == tell.ended)
        _ = await process.killed(world.store)
    }

    @Test func `counts from the start continue with a changed manifest, by feedback`() async throws {
        let text = { (names: String...) in
            """
            [loops.main]
            state  = { n = 0 }
            events = { add = {} }
            on.add = { set = { n = "state.n + 1" } }
            [loops.main.feedback.hold]
            effect = "std:after"
            args   = ["duration('1h')"]

            """
                + names.map { name in
                    """
                    [loops.main.feedback.\(name)]
                    effect = "std:print"
                    args   = ["'\(name) ' + string(state.n)"]

                    """
                }.joined()
        }
        let world = try SwapWorld(text("say"), "")
        defer { world.app.close() }
        let port = AppPort(world.app.manifest, countsFromStart: true, statesCame: {})
        let run = world.app.makeRun(observer: world.record, port: port)
        run.start()
        func send(_ port: AppPort, _ manifest: Manifest) throws {
            let type = manifest.loops[0].events[0].type
            #expect(try port.send(event: 0, payload: Record(type), toLoop: 0) == .queued)
        }
        func ended(_ port: AppPort, _ feedback: String) -> Int? {
            port.watchedCounts(ofLoop: 0)?.runs.first { $0.feedback == feedback }?.ended
        }
        try send(port, world.app.manifest)
        await waitUntil { ended(port, "say") == 2 }
        let since = try #require(port.watchedCounts(ofLoop: 0)?.since)
        let made = Lock<AppPort?>(nil)
        let follower = try await world.handOver(
            run, to: text("say", "tell"),
            port: { manifest in
                let port = AppPort(manifest, countsFromStart: true, statesCame: {})
                made.withLock { $0 = port }
                return port
            }
        ).get()
        defer { follower.app.close() }
        let next = try #require(made.withLock { $0 })
        try send(next, follower.app.manifest)
        await waitUntil { ended(next, "say") == 3 && (ended(next, "tell") ?? 0) >= 1 }
        let counts = try #require(next.watchedCounts(ofLoop: 0))
        #expect(counts.since == since)
        #expect(counts.events[0].handled == 2)
        let hold = try #require(counts.runs.first { $0.feedback == "hold" })
        #expect(hold.began == 1 && hold.ended == 0)
        // The age of a run that continues is known, too.
        #expect(try next.runs(ofLoop: 0).contains { $0.run.feedback == "hold" && $0.age != nil })
        follower.run.stop()
        _ = await follower.run.finished()
    }
}
