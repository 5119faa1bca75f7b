import Foundation
import TestSupport
import Testing

@testable import spinhost

/// What a service manager hears of a host, on a socket of the test.
@Suite(.timeLimit(.minutes(10))) struct ServiceManagerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the manifest of the folder.
    private func start(
        _ receiver: DatagramReceiver, _ arguments: String..., environment: [String: String] = [:]
    ) throws -> RunningProgram {
        try RunningProgram(
            ["run", "--quiet"] + arguments, in: folder.root,
            environment: [
                "NOTIFY_SOCKET": receiver.name, "XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1",
            ].merging(environment) { $1 })
    }

    private func receiver() throws -> DatagramReceiver { try DatagramReceiver(folder.url("notify").path) }

    /// An app whose effect reads from the pipe `gate` on the thread of the loop, and whose plugin may do so before it
    /// starts.
    private func writeGate(inCreate: Bool) throws {
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        let source = """
            #include <fcntl.h>
            #include <stdlib.h>
            #include <unistd.h>
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("gate", "1.0");
            static int64_t pass(void) {
                char byte = 0;
                int gate = open("gate", O_RDONLY);
                int64_t count = read(gate, &byte, 1);
                close(gate);
                return count;
            }
            struct spin_self { int32_t number; };
            static spin_self *create(spin_call *call, const spin_config *config) {
                (void)call, (void)config;
                if (\(inCreate ? 1 : 0)) pass();
                return calloc(1, sizeof(spin_self));
            }
            static void destroy(spin_self *self) { free(self); }
            SPIN_INSTANCE(create, destroy);
            static int64_t wait_once(spin_self *self) { (void)self; return pass(); }
            SPIN_EFFECT(int64_t, wait_once, (spin_self *self), "Waits for a byte.");
            """
        _ = try CCompiler().sharedObject(source, in: folder, as: "gate.so", flags: ["-I\(include)"])
        try folder.write(
            "app.toml",
            """
            app = { name = "gate", stay = true }
            [plugins.gate]
            library = "./gate.so"
            [loops.main]
            state  = { n = 0 }
            events = { passed = { n = "int" } }
            on     = { passed = { set = { n = "event.n" } } }
            [loops.main.feedback.wait]
            effect  = "gate:wait_once"
            when    = "state.n == 0\(inCreate ? " && false" : "")"
            emit    = { event = "passed", n = "result" }
            """)
        // Safe because the path is borrowed for the call.
        #expect(unsafe mkfifo(folder.url("gate").path, 0o600) == 0)
    }

    private func openGate() throws {
        try FileHandle(forWritingTo: folder.url("gate")).write(contentsOf: Data([1]))
    }

    @Test(arguments: ["a path", "a name without a file"])
    func `the manager hears that the app is ready and that it ends`(_ kind: String) throws {
        try folder.write("app.toml", ControlledHost.door)
        let name = kind == "a path" ? folder.url("notify").path : "@spinhost-test-\(UUID().uuidString)"
        let receiver = try DatagramReceiver(name)
        let program = try start(receiver, "--control")
        #expect(try receiver.next().text == "READY=1\nSTATUS=1 loop, 0 steps, 0 faults")
        kill(program.identifier, SIGTERM)
        #expect(try receiver.next().text == "STOPPING=1")
        #expect(program.end().status == 0)
        #expect(receiver.waiting() == [])
    }

    @Test func `an app that ends by itself says so once`() throws {
        try folder.write("app.toml", "[loops.main]\nuntil = \"true\"\n")
        let receiver = try receiver()
        #expect(try start(receiver).end().status == 0)
        #expect(receiver.waiting() == ["READY=1\nSTATUS=1 loop, 0 steps, 0 faults", "STOPPING=1"])
    }

    @Test func `the app is not ready while an instance is being made`() throws {
        try writeGate(inCreate: true)
        let receiver = try receiver()
        let program = try start(receiver)
        // Opening the pipe waits until the plugin reads from it.
        let gate = try FileHandle(forWritingTo: folder.url("gate"))
        #expect(receiver.waiting() == [])
        try gate.write(contentsOf: Data([1]))
        #expect(try receiver.next().text.hasPrefix("READY=1\n"))
        kill(program.identifier, SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func `the manager gets no sign of life while a call holds a loop`() throws {
        try writeGate(inCreate: false)
        let receiver = try receiver()
        let program = try start(receiver, environment: ["WATCHDOG_USEC": "1000000"])
        #expect(try receiver.next().text == "READY=1\nSTATUS=1 loop, 0 steps, 0 faults\nWATCHDOG=1")
        let held = "effect `wait_once` has held loop `main` for"
        #expect(program.waitForErrors(held))
        _ = receiver.waiting()
        #expect(program.waitForErrors(held, times: 2))
        #expect(receiver.waiting().filter { $0.contains("WATCHDOG") } == [])
        try openGate()
        #expect(try receiver.next { $0.contains("WATCHDOG") } == "WATCHDOG=1")
        kill(program.identifier, SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func `neither plugins nor their programs see the variables of the manager`() throws {
        try folder.write(
            "app.toml",
            """
            [plugins.libc]
            library  = "libc.so.6"
            declares = "int system(const char *command);"
            [loops.main]
            state  = { done = false }
            events = { ran = {} }
            until  = "state.done"
            on     = { ran = { set = { done = "true" } } }
            [loops.main.feedback.show]
            effect = "libc:system"
            args   = ["'env >environment'"]
            emit   = { event = "ran" }
            """)
        let receiver = try receiver()
        let environment = ["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1", "KEPT": "yes"]
        #expect(try start(receiver, environment: environment).end().status == 0)
        let seen = try String(contentsOf: folder.url("environment"), encoding: .utf8)
        #expect(seen.contains("KEPT=yes"))
        #expect(!seen.contains("NOTIFY_SOCKET") && !seen.contains("WATCHDOG"))
        // The watchdog of another process is none of ours.
        #expect(receiver.waiting().allSatisfy { !$0.contains("WATCHDOG") })
    }

    @Test func `a manager that has gone away does no harm`() throws {
        try folder.write("app.toml", "[loops.main]\nuntil = \"true\"\n")
        let outcome = try Spinhost.run(
            "run", "--quiet", in: folder, environment: ["NOTIFY_SOCKET": folder.url("nothing").path])
        #expect(outcome.status == 0 && outcome.errors == "")
    }

    @Test func `the manager hears of each new reading of the manifest`() throws {
        try folder.write("app.toml", ControlledHost.door)
        let receiver = try receiver()
        let program = try start(receiver, "--control")
        #expect(try receiver.next().text.hasPrefix("READY=1\n"))
        for manifest in [ControlledHost.door + "# Nothing else.\n", "not = [a manifest"] {
            try folder.write("app.toml", manifest)
            kill(program.identifier, SIGHUP)
            let text = try receiver.next().text
            let time = try #require(text.wholeMatch(of: #/RELOADING=1\nMONOTONIC_USEC=(\d+)/#))
            #expect(Int64(time.1).map { $0 > 0 } == true)
            #expect(try receiver.next().text == "READY=1")
        }
        kill(program.identifier, SIGTERM)
        #expect(try receiver.next().text == "STOPPING=1")
        #expect(program.end().status == 0)
    }

    @Test func `a long recovery asks for more time`() throws {
        let receiver = try receiver()
        let manager = try #require(ServiceManager(["NOTIFY_SOCKET": receiver.name], process: 1))
        let text = try ServiceReport(manager, patience: .milliseconds(2)).recovering {
            _ = try receiver.next()
            return try receiver.next().text
        }
        #expect(
            text.wholeMatch(of: #/EXTEND_TIMEOUT_USEC=6000\nSTATUS=recovering the journal for .*/#) != nil)
    }

    @Test(arguments: ["", "notify", "vsock:2:1234"])
    func `a socket of another kind is ignored`(_ socket: String) {
        #expect(ServiceManager(["NOTIFY_SOCKET": socket], process: 1) == nil)
    }
}
