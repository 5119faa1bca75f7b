import App
import HostLoopTesting
import Manifest
import Testing
import TestSupport

/// What a watched loop counts under the name of each feedback.
@Suite(.timeLimit(.minutes(5))) struct WatchedCountsTests {
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
}
