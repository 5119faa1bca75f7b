import Foundation
import TestSupport
import Testing

/// A plugin that leaves signals blocked takes neither the guard nor the crash report away from another one.
struct PluginSignalMaskTests {
    /// Compiled once for all tests.
    private static let libraries = Result {
        try ["masks_signals", "ends_process"].map { ($0, try CompiledFixture("\($0).c")) }
    }

    /// Calls `effect` of the plugin that blocks all signals, and then `crash` of another one on the same thread.
    private func run(_ effect: String, isolation: String, then next: String) throws -> Shell.Outcome {
        let folder = try TemporaryFolder()
        for (name, library) in try Self.libraries.get() {
            try FileManager.default.copyItem(at: library.file, to: folder.url("\(name).so"))
        }
        try folder.write(
            "app.toml",
            """
            [plugins.masks]
            library   = "./masks_signals.so"
            isolation = "\(isolation)"
            [plugins.other]
            library   = "./ends_process.so"
            isolation = "\(next)"
            [loops.main]
            state  = { step = 0, code = 0 }
            events = { went = {}, failed = { code = "int" } }
            until  = "state.step == 2"
            [loops.main.on]
            went   = { set = { step = "state.step + 1" } }
            failed = { set = { step = "state.step + 1", code = "event.code" } }
            [loops.main.feedback]
            block = { effect = "masks:\(effect)", when = "state.step == 0", emit = { event = "went" }, on-error = { event = "went" } }
            crash = { effect = "other:crash", when = "state.step == 1", emit = { event = "went" }, on-error = { event = "failed", code = "error.code" } }
            """)
        return try Shell.run(
            Project.spinhost, ["--json", "--quiet"], in: folder.root,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
    }

    @Test(arguments: [("block", "inline"), ("block", "guarded"), ("block_and_give_up", "guarded")])
    func crashOfAGuardedPlugin_isStillAFault(_ effect: String, _ isolation: String) throws {
        let outcome = try run(effect, isolation: isolation, then: "guarded")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(#""state":{"step":2,"code":-1120}"#), "\(outcome)")
        #expect(outcome.errors.contains("effect `crash` crashed with SIGSEGV at address 0x0"), "\(outcome)")
    }

    @Test func crashOfAnInlinePlugin_isStillReported() throws {
        let outcome = try run("block", isolation: "inline", then: "inline")
        #expect(outcome.status == 128 + 11)
        #expect(
            outcome.errors.hasPrefix(
                "fatal: SIGSEGV at address 0x0 in effect `crash` of plugin `ends` 2.0\n"),
            "\(outcome)")
    }
}
