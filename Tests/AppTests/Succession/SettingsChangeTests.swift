import App
import Diagnostics
import Foundation
import HostLoop
import PluginHost
import TestSupport
import Testing

/// A changed manifest gives other settings to the plugins of the running app.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SettingsChangeTests {
    private func start(
        _ manifest: String = DialSource.manifest("level = 1"), _ source: DialSource = DialSource(),
        steps: Int = 2
    ) async throws -> (SwapWorld, AppRun) {
        let world = try SwapWorld(manifest, source.text)
        let run = world.app.start(observer: world.record)
        await world.record.steps(steps)
        return (world, run)
    }

    private func messages(_ result: Result<App.Follower, AppRefusal>) -> [String] {
        guard case .failure(let refusal) = result else { return [] }
        return refusal.diagnostics.map { "\($0.code.rawValue): \($0.message)" }
    }

    private func stop(_ run: AppRun, _ apps: App...) async {
        run.stop()
        _ = await run.finished()
        for app in apps { app.close() }
    }

    @Test(arguments: ["", "instance = \"app\""])
    func `an instance that accepts continues, with its calls`(plugin: String) async throws {
        let (world, run) = try await start(DialSource.manifest("level = 1", plugin: plugin))
        let follower = try await world.handOver(run, to: DialSource.manifest("level = 2", plugin: plugin))
            .get()
        let name = plugin.isEmpty ? "dial of main" : "dial"
        #expect(follower.settings == [SettingsReport(instance: name, outcome: .accepted, reason: nil)])
        // The call that was pending emits.
        await world.record.until { $0.last == #"levelled{"level":2} {"level":2}"# }
        #expect(world.record.lines == ["create 1", "start 1", "1 to 2"])
        let last = try await world.handOver(
            follower.run, of: follower.app, to: DialSource.manifest("level = 3", plugin: plugin)
        ).get()
        await world.record.until { $0.last == #"levelled{"level":3} {"level":3}"# }
        await stop(last.run, world.app, follower.app, last.app)
        #expect(world.record.lines.suffix(4) == ["1 to 2", "2 to 3", "stop 3", "destroy 3"])
        #expect(world.record.faults == [])
    }

    @Test func `settings that mean the same change nothing`() async throws {
        let (world, run) = try await start()
        let follower = try await world.handOver(run, to: DialSource.manifest("")).get()
        #expect(follower.settings == [])
        await stop(follower.run, world.app, follower.app)
        #expect(world.record.lines == ["create 1", "start 1", "stop 1", "destroy 1"])
    }

    @Test(arguments: [(13, "an unlucky level"), (14, "`reconfigure` answered -14")])
    func `an instance that refuses is made again`(level: Int, reason: String) async throws {
        let (world, run) = try await start()
        let follower = try await world.handOver(run, to: DialSource.manifest("level = \(level)")).get()
        let shown = "`dial` does not take over its changed settings: \(reason)"
        #expect(
            follower.settings == [
                SettingsReport(instance: "dial of main", outcome: .renewed, reason: shown)
            ])
        #expect(await run.finished().outcome == .followed)
        await world.record.until { $0.last == #"levelled{"level":\#(level)} {"level":\#(level)}"# }
        #expect(
            world.record.lines == [
                "create 1", "start 1", "1 to \(level)", "create \(level)", "start \(level)", "stop 1",
                "destroy 1",
            ])
        await stop(follower.run, world.app, follower.app)
    }

    @Test func `without a new instance either, the app keeps its manifest and the instance its settings`()
        async throws
    {
        let (world, run) = try await start()
        #expect(
            messages(try await world.handOver(run, to: DialSource.manifest("level = 99"))) == [
                "P062: `dial` does not take over its changed settings: an unlucky level",
                "P060: `dial` could not be created: no such level",
            ])
        #expect(run.running == ["watch"])
        let follower = try await world.handOver(run, to: DialSource.manifest("level = 2")).get()
        #expect(follower.settings.map(\.outcome) == [.accepted])
        await stop(follower.run, world.app, follower.app)
        #expect(
            world.record.lines == [
                "create 1", "start 1", "1 to 99", "create 99", "1 to 2", "stop 2", "destroy 2",
            ])
    }

    @Test func `when one of two instances refuses, the other one goes back, and both are made again`()
        async throws
    {
        let loops = ["main", "other"]
        let (world, run) = try await start(DialSource.manifest("level = 1", loops: loops), steps: 4)
        let follower = try await world.handOver(run, to: DialSource.manifest("level = 22", loops: loops))
            .get()
        #expect(follower.settings.map(\.instance) == ["dial of main", "dial of other"])
        #expect(follower.settings.allSatisfy { $0.outcome == .renewed })
        #expect(await run.finished().outcome == .followed)
        #expect(
            world.record.lines == [
                "create 1", "create 1", "start 1", "start 1", "1 to 22", "1 to 22", "22 to 1",
                "create 22", "create 22", "start 22", "start 22", "stop 1", "stop 1", "destroy 1",
                "destroy 1",
            ])
        await stop(follower.run, world.app, follower.app)
    }

    @Test func `a guarded instance that crashes is made again`() async throws {
        // The crash ends the only call, and with nothing left to do the app would end.
        let guarded = """
            isolation = "guarded"
            [loops.stays]
            events = { ticked = {} }
            [loops.stays.feedback.tick]
            effect = "std:every"
            args   = ["duration('1h')"]
            emits.ticked = { event = "ticked" }
            """
        let (world, run) = try await start(DialSource.manifest("level = 1", plugin: guarded), steps: 3)
        let follower = try await world.handOver(run, to: DialSource.manifest("level = 66", plugin: guarded))
            .get()
        let report = try #require(follower.settings.first)
        #expect(report.outcome == .renewed)
        #expect(
            report.reason?.hasPrefix(
                "`dial` does not take over its changed settings: `reconfigure` crashed with SIGSEGV") == true)
        #expect(
            world.record.logged.contains {
                $0.hasPrefix("dial 2: function `reconfigure` crashed with SIGSEGV")
            })
        await world.record.until { $0.contains(#"levelled{"level":66} {"level":66}"#) }
        await stop(follower.run, world.app, follower.app)
        #expect(
            world.record.lines == [
                "create 1", "start 1", "1 to 66", "create 66", "start 66", "stop 66", "destroy 66",
            ])
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"), arguments: ["", "instance = \"app\""])
    func `a change to an instance that hangs is refused, and taken back later`(plugin: String) async throws {
        let gate = Pipe()
        let (world, run) = try await start(
            DialSource.manifest("level = 1", plugin: plugin),
            DialSource(gate: gate.fileHandleForReading.fileDescriptor))
        let name = plugin.isEmpty ? "dial of main" : "dial"
        let hanging = try await world.handOver(
            run, to: DialSource.manifest("level = 77", plugin: plugin), deadline: .seconds(2))
        #expect(messages(hanging) == ["P081: `reconfigure of \(name)` did not return within 2.0 seconds"])
        let other = DialSource.manifest("level = 2", plugin: plugin)
        #expect(
            messages(try await world.handOver(run, to: other)) == [
                "P081: `reconfigure of \(name)` of the last swap has not returned"
            ])
        try gate.fileHandleForWriting.close()
        await world.record.line("77 to 1")
        let taken = Lock<App.Follower?>(nil)
        await waitUntil {
            let follower = try? await world.handOver(run, to: other).get()
            taken.withLock { $0 = follower }
            return follower != nil
        }
        let follower = try #require(taken.withLock { $0 })
        await stop(follower.run, world.app, follower.app)
        #expect(
            world.record.lines == [
                "create 1", "start 1", "1 to 77", "77 to 1", "1 to 2", "stop 2", "destroy 2",
            ])
    }

    @Test func `a changed secret is a change`() async throws {
        let keys = try TemporaryFolder()
        try keys.write("key", "sesame\n")
        let manifest = DialSource.manifest("key = { file = \"\(keys.url("key").path)\" }")
        let (world, run) = try await start(manifest)
        try keys.write("key", "barley\n")
        let follower = try await world.handOver(run, to: manifest).get()
        #expect(follower.settings.map(\.outcome) == [.accepted])
        await stop(follower.run, world.app, follower.app)
        #expect(
            world.record.lines == [
                "create 1", "sesame", "start 1", "sesame", "1 to 1", "barley", "stop 1", "barley",
                "destroy 1",
                "barley",
            ])
    }

    @Test func `without the function, the instance is made again`() async throws {
        let (world, run) = try await start(
            DialSource.manifest("level = 1"), DialSource(takesChangedSettings: false))
        let follower = try await world.handOver(run, to: DialSource.manifest("level = 2")).get()
        #expect(
            follower.settings == [SettingsReport(instance: "dial of main", outcome: .renewed, reason: nil)])
        #expect(await run.finished().outcome == .followed)
        #expect(
            world.record.lines == [
                "create 1", "start 1", "create 2", "start 2", "stop 1", "destroy 1",
            ])
        await stop(follower.run, world.app, follower.app)
    }
}
