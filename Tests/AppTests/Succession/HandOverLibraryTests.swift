import App
import Diagnostics
import Foundation
import HostLoop
import PluginHost
import TestSupport
import Testing

/// Libraries that a changed manifest loads beside those that run are treated as those that a swap loads.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HandOverLibraryTests {
    private static let more = "[loops.other]\nstate = { k = 1 }"
    /// What has the plugin loaded anew.
    private static let otherwise = "isolation = \"guarded\""

    private func handOver(
        _ world: SwapWorld, _ run: AppRun, more: String = more, text: String? = nil
    ) async throws -> Result<App.Follower, AppRefusal> {
        try await world.handOver(
            run, to: text ?? SwapWorld.manifest(until: 2, more: more, plugin: Self.otherwise))
    }

    private func messages(_ result: Result<App.Follower, AppRefusal>) -> [String] {
        guard case .failure(let reasons) = result else { return [] }
        return reasons.diagnostics.map { "\($0.code.rawValue): \($0.message)" }
    }

    private func settled(_ app: App) async -> RetiredImages.Counts {
        await waitUntil { app.replacedLibraries.inUse == 0 }
        return app.replacedLibraries
    }

    private func stop(_ run: AppRun) async {
        run.stop()
        _ = await run.finished()
    }

    @Test(.inThisProcess("versions in workers share no variables"))
    func versionsThatShareAVariable_areRefused() async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 2), SwapWorld.sharing(1), compiler: "c++")
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(SwapWorld.sharing(2), compiler: "c++")
        let path = world.folder.url("lib.so").path
        #expect(
            messages(try await handOver(world, run)) == [
                "P091: `\(path)` would share `answer` with the version that runs"
            ])
        let counts = await settled(world.app)
        #expect(counts.kept == 1)
        #expect(counts.lastReason == "it defines `answer`, which the process has once")
        await stop(run)
    }

    @Test(.inThisProcess("no version of a plugin in a worker is mapped or counted"))
    func aLibraryThatIsNotTaken_isUnmapped_andOneThatIsReplacedIsCounted() async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 2), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(SwapWorld.plugin(3, version: "3"))
        let other = SwapWorld.manifest(until: 2, plugin: Self.otherwise).replacing(
            "{ n = 0,", with: "{ n = 0.5,"
        ).replacing(
            "state.n % 1000", with: "1"
        ).replacing("state.n + 1", with: "state.n + 1.0")
        #expect(messages(try await handOver(world, run, text: other)).map { $0.prefix(4) } == ["P090"])
        #expect(await settled(world.app).unmapped == 1)
        let follower = try await handOver(world, run).get()
        defer { follower.app.close() }
        let seen = world.record.steps.count
        await world.record.steps(seen + 3)
        // The one that was replaced is counted; the app that has loaded it is still there.
        let counts = follower.app.replacedLibraries
        #expect(counts.inUse == 1 && counts.unmapped == 1 && counts.kept == 0, "\(counts)")
        await stop(follower.run)
    }

    @Test(.inThisProcess("a worker needs no trial: it is a process of its own")) func newBytes_areTriedFirst()
        async throws
    {
        let tried = Lock<[String]>([])
        let world = try SwapWorld(
            SwapWorld.manifest(until: 2), SwapWorld.plugin(1, version: "1"),
            trial: { trial in
                tried.withLock { $0.append(trial.plugin) }
                return .refused(Diagnostic(.error, DiagnosticCode("P087"), "it crashes"))
            })
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        // Bytes that run are known.
        let again = SwapWorld.manifest(until: 2, more: Self.more, plugin: Self.otherwise)
        let follower = try await handOver(world, run, text: again).get()
        defer { follower.app.close() }
        #expect(tried.withLock { $0 } == [])
        try world.build(SwapWorld.plugin(3, version: "3"))
        let refused = try await world.handOver(
            follower.run, of: follower.app, to: SwapWorld.manifest(until: 2))
        #expect(messages(refused) == ["P087: it crashes"])
        #expect(tried.withLock { $0 } == ["numbers"])
        await stop(follower.run)
    }
}
