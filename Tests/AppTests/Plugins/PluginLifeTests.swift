import HostLoop
import PluginHost
import TestSupport
import Testing

@testable import App

/// The end of the instances of a run.
@Suite(.timeLimit(.minutes(10))) struct PluginLifeTests {
    @Test func theEnd_waitsForAnyNumberOfVersions() async throws {
        let folder = try TemporaryFolder()
        let manifest = try RecordedRun.manifest("[loops.main]\nstate = { n = 0 }", in: folder)
        let services = HostServices(
            clock: ContinuousLoopClock(), wallTime: { 0 }, log: { _ in }, output: { _ in false })
        let image = try StandardPluginImage.make(services)
        let versions = Array(repeating: (name: "std", image: image), count: 500_000)
        let life = PluginLife(InstanceSet(manifest, [:]), images: { versions }, of: manifest)
        let isTold = Lock(false)
        life.end(leaving: []) { isTold.withLock { $0 = true } }
        await waitUntil { isTold.withLock { $0 } }
        #expect(life.hasEnded)
    }

    @Test func aFunctionThatDoesNotReturn_isNamed_whateverIsCalledBesideIt() async throws {
        let folder = try TemporaryFolder()
        let manifest = try RecordedRun.manifest(
            SensorSource.plugin() + SensorSource.loop(until: "false"), library: SensorSource(version: 1).text,
            in: folder)
        let app = try App(
            manifest, log: { _ in }, output: { _ in false }, workerProgram: WorkerMode.program)
        defer { app.close() }
        let run = app.makeRun()
        let (life, slot) = (run.life, try #require(run.life.slots.first))
        life.calling("stop", slot) {
            life.calling("start", slot) {
                #expect(life.running == ["stop of sensor of main", "start of sensor of main"])
            }
            #expect(life.calling == "stop of sensor of main")
        }
        #expect(life.running == [])
        run.discard()
    }
}
