import Foundation
import TestSupport
import Testing

/// Instances of plugins that save a state: after an orderly end, those of the next process take it over.
@Suite(.timeLimit(.minutes(10))) struct KeptInstanceTests {
    private static let manifest = """
        app.name = "clicks"

        [plugins.clicker]
        library = "./clicker.so"

        [loops.main]
        state      = { n = 0, lines = 0 }
        events     = { line = { text = "string" }, counted = { n = "int" } }
        on.counted = { set = { n = "event.n" } }
        on.line    = { set = { lines = "state.lines + 1" } }

        [loops.main.feedback.lines]
        effect = "std:lines"
        args   = ["'-'"]
        emits  = { line = { event = "line", text = "value.text" }, ended = [] }

        [loops.main.feedback.count]
        effect = "clicker:count"
        on     = "line"
        emit   = { event = "counted", n = "result" }

        """

    /// Counts its calls. With `REFUSES` it does not know the saved state, with `CRASHES` it crashes with it.
    private static let clicker = """
        #include <spinhost/plugin.h>
        #include <string.h>
        SPIN_PLUGIN("clicker", VERSION);
        \(InstanceSource.text("int64_t calls;"))
        static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
            (void)call;
            return spin_write(saving, self, sizeof *self);
        }
        static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
            self->calls = 1000;
        #ifdef REFUSES
            return spin_fail(call, SPIN_BAD_VALUE, "too old");
        #endif
        #ifdef CRASHES
            abort();
        #endif
            memcpy(self, saved->data, sizeof *self);
            return SPIN_OK;
        }
        SPIN_SWAP(save, restore, 1);
        static int64_t count(spin_self *self) { return ++self->calls; }
        SPIN_EFFECT(int64_t, count, (spin_self *self), "Counts its calls.");

        """

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        try compile("1.0")
    }

    private func compile(_ version: String, _ flags: String...) throws {
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        try? FileManager.default.removeItem(at: folder.url("clicker.so"))
        _ = try CCompiler().sharedObject(
            Self.clicker, in: folder, as: "clicker.so",
            flags: ["-I\(include)", "-DVERSION=\"\(version)\""] + flags)
    }

    /// The number that a process counts for a line, before it ends in order.
    private func count() throws -> (n: Int?, errors: String) {
        let run = try InterruptedRun([1], until: "counted(", in: folder)
        return (run.output.firstMatch(of: #/counted\(n: (\d+)\)/#).flatMap { Int($0.1) }, run.errors)
    }

    @Test func `an instance continues with the state that the last process has kept`() throws {
        #expect(try (1...3).map { _ in try count().n } == [1, 2, 3])
        let verified = try Spinhost.run("journal", "verify", "run.journal", in: folder)
        #expect(verified.status == 0, "\(verified)")
    }

    @Test func `after a crash an instance begins without a state, as nothing says what it was`() throws {
        #expect(try count().n == 1)
        let host = try RunningProgram(
            ["run", "--steps", "--journal", "run.journal", "--durable", "every-step"], in: folder.root,
            environment: InterruptedRun.environment)
        try host.write("1")
        while case let line = host.nextLine(), !line.isEmpty {
            if line.contains("counted(n: 2)") { kill(host.identifier, SIGKILL) }
        }
        _ = host.end()
        #expect(try count().n == 1)
    }

    @Test(arguments: ["-DREFUSES", "-DCRASHES"])
    func `an instance that does not take the state over begins without it`(_ flag: String) throws {
        #expect(try count().n == 1)
        try compile("2.0", flag)
        let second = try count()
        let refuses = flag == "-DREFUSES"
        #expect(second.n == (refuses ? 1 : nil), "\(second.errors)")
        let message =
            refuses
            ? "`clicker` does not take over the state of version 1.0: too old; it begins without that state"
            : "SIGABRT"
        #expect(second.errors.contains(message), "\(second.errors)")
        // A process that has crashed keeps nothing. So a state that crashes does so once.
        try compile("3.0")
        #expect(try count().n == (refuses ? 2 : 1))
    }

    @Test func `a migrated journal keeps the states`() throws {
        #expect(try count().n == 1)
        let wider = Self.manifest.replacing("{ n = 0, lines = 0 }", with: "{ n = 0, lines = 0, more = 0 }")
        try folder.write("app.toml", wider)
        let migrated = try Spinhost.run(
            "journal", "migrate", "run.journal", "--manifest", "app.toml", in: folder)
        #expect(migrated.status == 0, "\(migrated)")
        #expect(try count().n == 2)
    }
}
