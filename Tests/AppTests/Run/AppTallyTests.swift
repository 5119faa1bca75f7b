import Foundation
import HostLoop
import Manifest
import Records
import TestSupport
import Testing

@testable import App

/// What an app counts by name: faults, swaps and messages.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AppTallyTests {
    @Test func `swaps are counted by plugin and outcome, with their pauses`() async throws {
        let world = try SwapWorld(
            SwapWorld.manifest(until: -1).replacing("state.answer == -1", with: "state.n < 0"),
            SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        try await world.swap("numbers", in: run, expecting: .unchanged)
        #expect(run.tally.swaps.isEmpty)
        try world.build(SwapWorld.plugin(2, version: "2"))
        let report = try await world.swap("numbers", in: run)
        try world.build(SwapWorld.plugin(2, version: "2", id: "others"))
        try await world.swap("numbers", in: run, expecting: .refused)
        // A client may name what it likes, which must not be kept.
        try await world.swap("nonsense", in: run, expecting: .refused)
        #expect(run.tally.swaps == ["numbers": tally(swapped: 1, refused: 1)])
        #expect(run.tally.pauses.count == 1 && run.tally.pauses.sum == report.pause)
        run.stop()
        #expect(await run.finished().counters.refusedSwaps == 2)
    }

    private func tally(swapped: Int, refused: Int) -> AppTally.Swaps {
        var swaps = AppTally.Swaps()
        (swaps.swapped, swaps.refused) = (swapped, refused)
        return swaps
    }

    private static func talking(_ messages: String, plus number: Int) -> String {
        """
        app.stay = true
        [gears.talk]
        messages = { \(messages) }
        [loops.main]
        state   = { n = 0 }
        events  = { heard = { n = "int" }, divided = {} }
        receive = { talk.news = { event = "heard", n = "message.n" } }
        on.heard   = { set = { n = "event.n + \(number)" } }
        on.divided = { set = { n = "state.n / 0" } }

        """
    }

    @Test func `counts by name continue with a changed manifest`() async throws {
        let world = try SwapWorld(Self.talking("news = { n = \"int\" }, gone = {}", plus: 1), "")
        defer { world.app.close() }
        let run = world.app.makeRun(
            observer: world.record, port: AppPort(world.app.manifest, statesCame: {}))
        run.start()
        func news(_ app: App, _ number: Int64) throws -> AppMessage {
            let model = app.manifest.gears[0]
            let index = try #require(model.messages.firstIndex { $0.name == "news" })
            return AppMessage(
                gear: 0, message: index,
                payload: try Record(model.messages[index].type, jsonValue: .record([("n", .int(number))])))
        }
        func fail(_ run: AppRun, _ app: App) throws {
            let event = try #require(app.manifest.loops[0].events.firstIndex { $0.name == "divided" })
            let loop = try #require(run.loop(at: 0))
            _ = loop.emit(AppEvent(index: event, payload: Record(app.manifest.loops[0].events[event].type)))
        }
        run.gears.send(try news(world.app, 1))
        try fail(run, world.app)
        await waitUntil { run.tally.faults == ["E031": 1] }
        await world.record.steps(2)
        let follower = try await world.handOver(
            run, to: Self.talking("other = {}, news = { n = \"int\" }", plus: 2)
        ).get()
        defer { follower.app.close() }
        follower.run.gears.send(try news(follower.app, 5))
        // A feedback of the app before may still send.
        run.gears.send(try news(world.app, 7))
        let gone = AppMessage(
            gear: 0, message: 1, payload: Record(world.app.manifest.gears[0].messages[1].type))
        run.gears.send(gone)
        try fail(follower.run, follower.app)
        await waitUntil { follower.run.tally.faults == ["E031": 2] }
        let tally = follower.run.tally
        #expect(tally.faults(ofLoop: "main") == ["E031": 2] && tally.faults(ofLoop: "other").isEmpty)
        func counts(_ app: App) -> [String: [Int]] {
            Dictionary(
                uniqueKeysWithValues: tally.messages(of: app.manifest.gears).map {
                    ($0.message, [$0.sent, $0.delivered, $0.lost])
                })
        }
        #expect(counts(follower.app) == ["other": [0, 0, 0], "news": [3, 3, 0]])
        #expect(counts(world.app)["gone"] == [1, 0, 1])
        follower.run.stop()
        #expect(await follower.run.finished().counters.lostMessages == 1)
    }
}
