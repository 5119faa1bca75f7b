import Foundation
import TestSupport
import Testing

/// A signal that one plugin sends to a thread which is in a call of another plugin.
struct PluginThreadSignalTests {
    @Test(arguments: ["wait_for_ever", "spin_for_ever"])
    func signalFromAnotherThread_isNotACrashOfTheGuardedPlugin(_ effect: String) throws {
        let (folder, library) = (try TemporaryFolder(), try CompiledFixture("signals_threads.c"))
        for name in ["sender", "victim"] {
            try FileManager.default.copyItem(at: library.file, to: folder.url("\(name).so"))
        }
        try folder.write(
            "app.toml",
            """
            [plugins.sender]
            library   = "./sender.so"
            isolation = "guarded"
            [plugins.victim]
            library   = "./victim.so"
            isolation = "guarded"
            [loops.main]
            state  = { step = 0 }
            events = { went = {} }
            until  = "state.step == 2"
            on.went = { set = { step = "state.step + 1" } }
            [loops.main.feedback]
            send = { effect = "sender:send_later", when = "state.step == 0", emit = { event = "went" } }
            wait = { effect = "victim:\(effect)", when = "state.step == 1", emit = { event = "went" }, on-error = { event = "went" } }
            """)
        let outcome = try Shell.run(
            Project.spinhost, ["--json", "--quiet"], in: folder.root,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        // The process ends by the signal, as it would without a host, and no plugin is blamed for it.
        #expect(outcome.status == 128 + SIGABRT, "\(outcome)")
        #expect(!outcome.errors.contains("crashed"), "\(outcome)")
        #expect(!outcome.output.contains(#""step":2"#), "\(outcome)")
    }
}
