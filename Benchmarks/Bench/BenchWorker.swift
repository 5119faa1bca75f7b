import HostLoop
import Interfaces
import Isolation
import PluginHost
import Sandbox

/// A worker with `turn.so`, in the sandbox that a manifest without rules gives it.
final class BenchWorker {
    let worker: Worker
    private let image: PluginImage
    private let services = HostServices(
        clock: ContinuousLoopClock(), wallTime: { 0 }, log: { _ in }, output: { _ in false })
    private let staging: StagingDirectory

    init(spinhost: String, plugins: String) throws {
        staging = try StagingDirectory()
        let library = "\(plugins)/turn.so"
        let staged = try staging.stage(library)
        worker = Worker(
            WorkerSetup(
                program: spinhost, name: "turn",
                policy: SandboxPolicy(
                    libraries: [staging.path] + staged.libraryPaths, seesOtherProcesses: true,
                    observation: .accesses),
                folder: staging.path,
                restart: WorkerSetup.RestartRule(
                    backoff: .milliseconds(1) ... .milliseconds(1), limit: 1_000_000, within: .seconds(1))),
            services: services)
        image = try worker.load(staged, library: library, declares: nil)
    }

    /// Prepares a call of one of its effects.
    func call(_ name: String) throws -> BenchCall {
        guard let effect = image.description?.effect(name) else { throw BenchFault("no effect `\(name)`") }
        let signature = try CallSignature(effect.function, arguments: [.input])
        return BenchCall(
            PreparedCall(try CallInterface(signature, of: image.effect(name))), of: image, services)
    }

    /// The turn of this thread.
    func takeTurn() throws -> Worker.Turn {
        guard let turn = worker.takeTurn() else { throw BenchFault("the worker does not run") }
        return turn
    }

    /// The number of its process.
    func process() throws -> Int32 {
        guard let number = worker.processNumber else { throw BenchFault("the worker does not run") }
        return number
    }
}
