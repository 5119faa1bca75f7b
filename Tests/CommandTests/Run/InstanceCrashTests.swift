import Foundation
import TestSupport
import Testing

/// What the program does when an instance of a plugin crashes as it begins.
struct InstanceCrashTests {
    private static let sensor = Result { try CompiledFixture("instances.c") }

    private func run(_ function: String, isolation: String) throws -> (status: Int32, errors: String) {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(at: Self.sensor.get().file, to: folder.url("sensor.so"))
        try folder.write(
            "app.toml",
            """
            [plugins.sensor]
            library   = "./sensor.so"
            isolation = "\(isolation)"
            config    = { crashes = "\(function)" }
            [loops.main]
            state  = { n = 0 }
            events = { counted = { n = "int" } }
            until  = "state.n > 0"
            on.counted = { set = { n = "event.n" } }
            feedback.count = { effect = "sensor:count", emit = { event = "counted", n = "result" } }

            """)
        let outcome = try Shell.run(
            Project.spinhost, ["--quiet"], in: folder.root, environment: ["SWIFT_BACKTRACE": "enable=no"])
        return (outcome.status, outcome.errors)
    }

    @Test(arguments: ["create", "start", "stop", "destroy"])
    func crash_isReported_andEndsTheProcessAsEver(_ function: String) throws {
        let outcome = try run(function, isolation: "inline")
        #expect(outcome.status == 128 + 11)
        #expect(
            outcome.errors.hasPrefix(
                "fatal: SIGSEGV at address 0x0 in function `\(function)` of plugin `sensor` 1.2.0\n"))
    }

    @Test(arguments: ["create": "created", "start": "started"])
    func crashAtTheBeginning_whenGuarded_makesTheAppUnavailable(_ function: String, _ done: String) throws {
        let outcome = try run(function, isolation: "guarded")
        #expect(outcome.status == 69)
        #expect(
            outcome.errors.contains(
                "error[P060]: `sensor` could not be \(done): `\(function)` crashed with SIGSEGV at address 0x0\n --> app.toml:2:13\n"
            ))
    }

    @Test(arguments: ["stop", "destroy"])
    func crashAtTheEnd_whenGuarded_isReported(_ function: String) throws {
        let outcome = try run(function, isolation: "guarded")
        #expect(outcome.status == 0)
        #expect(
            outcome.errors
                == "error: plugin `sensor`: function `\(function)` crashed with SIGSEGV at address 0x0; the plugin is not called any more\n"
        )
    }
}
