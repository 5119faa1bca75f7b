import FoundationEssentials
import Glibc
import HostLoop
import Interfaces
import Isolation
import PluginHost
import Sandbox
import TestSupport
import Testing

/// Instances whose process has ended: the next one has them again.
@Suite(.timeLimit(.minutes(10))) struct InstanceRenewalTests {
    private static let source = """
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("kept", "1");
        \(InstanceSource.text("int64_t number;"))
        static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
            (void)call;
            return spin_write(saving, &self->number, sizeof self->number);
        }
        static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
            (void)call;
            self->number = *(const int64_t *)saved->data;
            return SPIN_OK;
        }
        SPIN_SWAP(save, restore, 1);
        """

    private let folder: TemporaryFolder
    private let staging: StagingDirectory
    private let worker: Worker
    private let library: String

    init() throws {
        folder = try TemporaryFolder()
        staging = try StagingDirectory(in: folder.root.path)
        library = try CCompiler().sharedObject(
            Self.source, in: folder, as: "kept.so",
            flags: ["-I\(Project.root.appendingPathComponent("Sources/CPluginABI/include").path)"])
        var setup = WorkerSetup(
            program: Project.root.appendingPathComponent(".build/debug/spinhost").path, name: "kept",
            policy: SandboxPolicy(libraries: [staging.path], seesOtherProcesses: true),
            folder: folder.root.path)
        setup.restart.backoff = .milliseconds(1) ... .milliseconds(1)
        worker = Worker(
            setup,
            services: HostServices(
                clock: ContinuousLoopClock(), wallTime: { 0 }, log: { _ in }, output: { _ in true }))
    }

    private func load() throws -> PluginImage {
        try worker.load(staging.stage(library), library: library, declares: nil)
    }

    /// Kills the process, and waits until the next one runs.
    private func killProcess() throws {
        let number = try #require(worker.processNumber)
        kill(number, SIGKILL)
        try blockUntil { worker.processNumber.map { $0 != number } ?? false }
        // A library can be loaded once the process has all that the last one had.
        _ = try load()
    }

    private func number(_ instance: PluginInstance) throws -> UInt8? { try instance.save().data.first }

    @Test func anInstance_hasTheStateThatItSavedLast() throws {
        let instance = PluginInstance(try InstanceInterface(of: load()), config: nil)
        try instance.create()
        let saved = try instance.save()
        var data = saved.data
        data[0] = 7
        try instance.restore(
            SavedState(plugin: saved.plugin, version: saved.version, schema: saved.schema, data: data))
        try killProcess()
        #expect(try number(instance) == 7)
        instance.destroy()
    }

    /// As after a state that the plugin has refused.
    @Test func anInstanceThatWasMadeASecondTime_isThere() throws {
        let instance = PluginInstance(try InstanceInterface(of: load()), config: nil)
        try instance.create()
        instance.destroy()
        try instance.create()
        try killProcess()
        #expect(try number(instance) == 0)
        instance.destroy()
    }
}
