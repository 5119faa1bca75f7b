import Foundation
import HostLoop
import Manifest
import PluginHost
import Records
import TestSupport
import Testing

@testable import App

/// Apps that have followed one another for long, as in a day of edits.
@Suite(.timeLimit(.minutes(10))) struct LongSuccessionTests {
    private struct Weak<Object: AnyObject> {
        weak var object: Object?
    }

    @Test func fault_reachesTheNewestReporter_andEarlierReportersAreFreed() throws {
        let told = Lock<[String]>([])
        func reporter(_ name: String) -> RunReporter {
            RunReporter(drops: DropCount()) { fault, _ in
                told.withLock { $0.append("\(name): \(fault.reason)") }
            }
        }
        let effect = try #require(
            try RecordedRun.manifest(
                "[loops.main.feedback.say]\neffect = \"std:print\"\nargs = [\"'a'\"]\n",
                in: TemporaryFolder()
            ).loops[0].feedbacks[0].effect)
        let first = reporter("first")
        var (newest, between) = (first, [Weak<RunReporter>]())
        for edit in 1...100 {
            let next = reporter("\(edit)")
            newest.forward(to: next)
            if edit > 1 { between.append(Weak(object: newest)) }
            newest = next
        }
        for reporter in [first, newest] {
            reporter.faulted(
                RunFault(emissionOf: effect, emitter: nil, "no paper"), in: Record(RecordType([])))
        }
        #expect(told.withLock { $0 }.map { $0.prefix(4) } == ["100:", "100:"])
        #expect(between.count == 99 && between.allSatisfy { $0.object == nil })
    }

    @Test func message_reachesTheNewestGears_byItsName_andEarlierGearsAreFreed() throws {
        let folder = try TemporaryFolder()
        /// An app that receives `news`, which other gears may stand before.
        func manifest(_ gears: String) throws -> Manifest {
            try RecordedRun.manifest(
                gears + """
                    [gears.talk]
                    messages = { news = { n = "int" } }
                    [loops.main]
                    state   = { n = 0 }
                    events  = { heard = { n = "int" } }
                    receive = { talk.news = { event = "heard", n = "message.n" } }
                    on.heard = { set = { n = "event.n" } }

                    """, in: folder)
        }
        let manifests = try ["", "[gears.other]\nmessages = { word = {} }\n"].map(manifest)
        let first = AppGears(manifests[0])
        var (newest, between) = (first, [Weak<AppGears>]())
        for edit in 1...100 {
            let (before, now) = (manifests[(edit - 1) % 2], manifests[edit % 2])
            let next = AppGears(now)
            next.succeed(
                newest, [], addressesStayValid: true,
                EventCarry.messages(from: before.gears, to: now.gears, addressesStayValid: true))
            if edit > 1 { between.append(Weak(object: newest)) }
            newest = next
        }
        #expect(between.count == 99 && between.allSatisfy { $0.object == nil })
        #expect(!newest.hasUndelivered)
        first.send(
            AppMessage(gear: 0, message: 0, payload: Record(manifests[0].gears[0].messages[0].type)))
        // It waits there until the loop begins.
        #expect(newest.hasUndelivered && newest.lost == 1)
    }

    @Test func stopOfTheFirstRun_stopsTheNewest_andEarlierRunsAreFreed() async throws {
        func manifest(_ edit: Int) -> String {
            """
            app.stay = true
            [loops.main]
            state = { n = \(edit) }

            """
        }
        let world = try SwapWorld(manifest(0), SwapWorld.plugin(1, version: "1"))
        let first = world.app.start(observer: world.record)
        await world.record.steps(1)
        var between: [Weak<AppRun>] = []
        var newest = App.Follower(app: world.app, run: first, settings: [])
        for edit in 1...10 {
            let next = try await world.handOver(newest.run, of: newest.app, to: manifest(edit)).get()
            #expect(await newest.run.finished().outcome == .followed)
            if edit > 1 { between.append(Weak(object: newest.run)) }
            newest.app.close()
            newest = next
        }
        // What ends them may have yet to return on another thread.
        await waitUntil { between.allSatisfy { $0.object == nil } }
        #expect(between.count == 9)
        first.stop()
        #expect(await newest.run.finished().outcome == .stopped)
        newest.app.close()
    }
}
