import App
import Diagnostics
import Foundation
import HostLoop
import PluginHost
import TestSupport
import Testing

/// New versions of plugins that are tried before they are loaded, and before they take over a state.
@Suite(.timeLimit(.minutes(10))) struct SwapTrialTests {
    @Test(.inThisProcess("a worker needs no trial: it is a process of its own"))
    func whatATrialRefuses_isNotLoaded() async throws {
        let seen = Lock<[String]>([])
        let world = try SwapWorld(
            SwapWorld.manifest(until: 2), SwapWorld.plugin(1, version: "1"),
            trial: { trial in
                let count = seen.withLock { seen in
                    seen.append("\(trial.plugin) \(trial.library.hash.count) \(trial.library.original)")
                    return seen.count
                }
                return count == 1
                    ? .refused(Diagnostic(.error, DiagnosticCode("P087"), "no")) : .passed
            })
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(SwapWorld.plugin(2, version: "2"))
        let refused = await world.app.swap("numbers", in: run, deadline: .generous)
        #expect(refused.outcome == .refused && refused.reasons.map(\.message) == ["no"])
        try await world.swap("numbers", in: run)
        let library = world.folder.url("lib.so").path
        #expect(seen.withLock { $0 } == ["numbers 16 \(library)", "numbers 16 \(library)"])
        _ = await run.finished()
    }

    @Test(.inThisProcess("a worker needs no trial: it is a process of its own"))
    func whatIsSaved_isTriedBeforeItIsRestored() async throws {
        let seen = Lock<[SavedState]>([])
        let world = try SwapWorld(
            SensorSource.plugin() + SensorSource.loop(until: "state.by == 3"),
            SensorSource(version: 1).text,
            trial: { trial in
                seen.withLock { $0 += trial.states }
                return trial.states.first?.version == "1"
                    ? .refused(Diagnostic(.error, DiagnosticCode("P087"), "no")) : .passed
            })
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(3)
        try world.build(SensorSource(version: 2).text)
        let refused = await world.app.swap("sensor", in: run, deadline: .generous)
        #expect(refused.outcome == .refused && refused.reasons.map(\.message) == ["no"])
        #expect(!world.record.lines.contains("restore 2"))
        #expect(world.record.lines.suffix(3).contains("start 1"))
        let state = try #require(seen.withLock { $0 }.first)
        #expect([state.plugin, state.version] == ["sensor", "1"] && state.data.count == 8)
        // The old one goes on, with its state.
        await world.record.steps(world.record.steps.count + 3)
        let counts = world.record.steps.compactMap {
            Int($0.dropFirst(#"counted{"count":"#.count).prefix { $0.isNumber })
        }
        #expect(counts == Array(1...counts.count))
        run.stop()
        _ = await run.finished()
    }

    /// A trial has no sandbox.
    @Test func aPluginInAWorker_isNotTried() async throws {
        let tries = Lock(0)
        let world = try SwapWorld(
            SensorSource.plugin(
                "isolation = \"process\"\nsandbox = { write = [\"\(NSTemporaryDirectory())\"] }")
                + SensorSource.loop(until: "state.by == 2"),
            SensorSource(version: 1).text,
            trial: { trial in
                tries.withLock { $0 += 1 }
                return .refused(Diagnostic(.error, DiagnosticCode("P087"), "no"))
            })
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(3)
        try world.build(SensorSource(version: 2).text)
        try await world.swap("sensor", in: run)
        _ = await run.finished()
        #expect(tries.withLock { $0 } == 0)
        // The new version has taken over the count.
        let counts = world.record.steps.compactMap {
            Int($0.dropFirst(#"counted{"count":"#.count).prefix { $0.isNumber })
        }
        #expect(counts == Array(1...counts.count))
    }
}
