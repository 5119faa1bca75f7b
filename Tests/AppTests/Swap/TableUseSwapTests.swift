import App
import Diagnostics
import Foundation
import HostLoop
import HostLoopTesting
import TestSupport
import Testing

/// Swaps and ends of plugins while one uses a function table of another.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .inThisProcess("plugins in two workers have no function tables of each other"))
struct TableUseSwapTests {
    private let users: TemporaryFolder

    init() throws { users = try TemporaryFolder() }

    private static func source(_ name: String, _ defines: String...) throws -> String {
        let file = Project.root.appendingPathComponent("Tests/Fixtures/plugins/\(name)")
        return defines.map { "#define \($0)\n" }.joined() + (try String(contentsOf: file, encoding: .utf8))
    }

    private static func clock(_ version: Int) throws -> String {
        try source("publishes.c", "VERSION \(version)")
    }

    /// Puts the user's library where the manifest names it.
    private func buildUser(_ defines: String...) throws {
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        let source =
            defines.map { "#define \($0)\n" }.joined() + (try Self.source("uses_table.c"))
        _ = try CCompiler().sharedObject(
            source, in: users, as: "new.so", flags: ["-I\(include)", "-pthread", "-w"])
        // Safe because the paths are borrowed for the call.
        #expect(unsafe rename(users.url("new.so").path, users.url("user.so").path) == 0)
    }

    /// A loop that asks the user for the time as fast as it can, until it is `last`.
    private func manifest(until last: Int, userFirst: Bool = false, clock: String = "") -> String {
        let plugins = [
            "[plugins.clock]\nlibrary = \"./lib.so\"\n\(clock)\n",
            "[plugins.user]\nlibrary = \"\(users.url("user.so").path)\"\n",
        ]
        return (userFirst ? plugins.reversed() : plugins).joined() + """
            [loops.main]
            state  = { n = 0, now = 0 }
            events = { told = { now = "int" } }
            until  = "state.now == \(last)"
            on.told = { set = { n = "state.n + 1", now = "event.now" } }
            [loops.main.feedback.look]
            effect  = "user:look"
            trigger = "state"
            emit    = { event = "told", now = "result" }
            [loops.keeper]
            events = { ticked = {} }
            [loops.keeper.feedback.tick]
            effect = "std:every"
            args   = ["duration('5ms')"]
            emits.ticked = { event = "ticked" }
            [loops.keeper.feedback.open]
            effect = "clock:open_clock"
            on     = ["ticked"]

            """
    }

    private func start(
        until last: Int = 100, userFirst: Bool = false, clock: any LoopClock = ContinuousLoopClock()
    ) async throws -> (SwapWorld, AppRun) {
        let world = try SwapWorld(
            manifest(until: last, userFirst: userFirst), try Self.clock(1), clock: clock)
        let run = world.app.start(observer: world.record)
        await world.record.until { $0.last?.contains(#""now":1}"#) == true }
        return (world, run)
    }

    @Test func `a user that lets go uses the table of the new version`() async throws {
        try buildUser()
        let (world, run) = try await start()
        defer { world.app.close() }
        try world.build(Self.clock(3))
        try await world.swap("clock", in: run)
        await world.record.until { $0.last?.contains(#""now":3}"#) == true }
        run.stop()
        let end = await run.finished()
        #expect(end.outcome == .stopped)
        #expect(end.counters.faults == 0)
        #expect(
            world.record.lines.filter { !$0.hasPrefix("destroy") } == [
                "stop clock 1", "stop user", "stop clock 3",
            ])
        #expect(world.record.logged == [])
    }

    @Test func `a user that keeps the table prevents the swap, and is named`() async throws {
        try buildUser("KEEPS 1")
        let (world, run) = try await start()
        defer { world.app.close() }
        try world.build(Self.clock(3))
        let report = await world.app.swap("clock", in: run, deadline: .seconds(1))
        #expect(report.outcome == .failed)
        #expect(
            report.reasons.map { "\($0.code.rawValue): \($0.message)" } == [
                "P097: use of `clock` by user did not end within 1.0 seconds"
            ])
        let seen = world.record.steps.count
        await world.record.steps(seen + 5)
        run.stop()
        #expect(await run.finished().outcome == .stopped)
        // The version that runs was never stopped before the end.
        #expect(world.record.lines.filter { $0.hasPrefix("stop") } == ["stop user", "stop clock 1"])
        #expect(world.record.logged == [])
    }

    @Test func `a user that lets go uses the table of the version before after a roll-back`() async throws {
        try buildUser()
        let world = try SwapWorld(
            manifest(until: 100, clock: "isolation = \"guarded\""), try Self.clock(1))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.until { $0.last?.contains(#""now":1}"#) == true }
        try world.build(Self.source("publishes.c", "VERSION 3", "CRASHES 1"))
        let later = LaterReports()
        try await world.swap("clock", in: run, onReport: later.onReport)
        let report = await later.first()
        #expect(report?.outcome == .rolledBack, "\(report?.reasons ?? [])")
        let seen = world.record.steps.count
        await world.record.until { $0.count > seen && $0.last?.contains(#""now":1}"#) == true }
        run.stop()
        #expect(await run.finished().abandoned == [])
        #expect(
            world.record.lines.filter { $0.hasPrefix("stop") } == [
                "stop clock 1", "stop user", "stop clock 1",
            ])
    }

    @Test func `a swapped user lets go in its stop`() async throws {
        try buildUser("KEEPS 1")
        let (world, run) = try await start(until: 5)
        defer { world.app.close() }
        try buildUser("FACTOR 5")
        try await world.swap("user", in: run)
        #expect(await run.finished().outcome == .done)
        #expect(
            world.record.lines.filter { $0.hasPrefix("stop") } == ["stop user", "stop user", "stop clock 1"])
        #expect(world.record.logged == [])
    }

    @Test(arguments: [false, true])
    func `users stop before their publishers, in any order of the manifest`(userFirst: Bool) async throws {
        try buildUser("KEEPS 1")
        let (world, run) = try await start(userFirst: userFirst)
        defer { world.app.close() }
        run.stop()
        #expect(await run.finished().abandoned == [])
        #expect(world.record.lines == ["stop user", "stop clock 1", "destroy clock 1"])
    }

    @Test func `a user that never lets go is named at the end, and its publisher is not stopped`()
        async throws
    {
        try buildUser("KEEPS 1", "NEVER 1")
        let clock = ManualClock()
        let (world, run) = try await start(clock: clock)
        defer { world.app.close() }
        run.stop()
        await world.record.lines(2)
        await waitUntil { run.running == ["use of `clock` by user"] }
        clock.advance(by: AppRun.deadline)
        #expect(await run.finished().abandoned == ["use of `clock` by user"])
        #expect(world.record.lines == ["stop user", "asked"])
    }

    @Test func `an instance that a changed manifest drops does not end the publication of another one`()
        async throws
    {
        try buildUser()
        func keeping(_ more: String) -> String {
            manifest(until: 100) + "[loops.more]\nstate = { n = 0 }\n\(more)\n"
        }
        let world = try SwapWorld(
            keeping("feedback.open = { effect = \"clock:open_clock\" }"), try Self.clock(1))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.until { $0.last?.contains(#""now":1}"#) == true }
        let follower = try await world.handOver(run, to: keeping("")).get()
        defer { follower.app.close() }
        #expect(await run.finished().outcome == .followed)
        #expect(world.record.lines == ["stop one clock 1", "destroy clock 1"])
        let seen = world.record.steps.count
        await world.record.until { steps in
            steps.dropFirst(seen).count { $0.hasPrefix("told") } > 5
        }
        #expect(world.record.steps.dropFirst(seen).allSatisfy { !$0.contains(#""now":-1"#) })
        follower.run.stop()
        #expect(await follower.run.finished().abandoned == [])
        #expect(world.record.lines.dropFirst(2) == ["stop user", "stop clock 1", "destroy clock 1"])
    }

    @Test func `a changed manifest replaces the publisher beside the one that runs`() async throws {
        try buildUser()
        let (world, run) = try await start()
        let follower = try await world.handOver(
            run, to: manifest(until: 3, clock: "isolation = \"guarded\"")
        ).get()
        #expect(await run.finished().outcome == .followed)
        let seen = world.record.steps.count
        @Sendable func told(_ steps: [String]) -> [String] {
            steps.dropFirst(seen).filter { $0.hasPrefix("told") }
        }
        await world.record.until { told($0).count >= 5 }
        #expect(told(world.record.steps).allSatisfy { $0.contains(#""now":1}"#) })
        #expect(world.record.lines.filter { $0.hasPrefix("stop") } == ["stop clock 1"])
        follower.run.stop()
        #expect(await follower.run.finished().abandoned == [])
        follower.app.close()
        world.app.close()
        #expect(world.record.logged == [])
    }
}
