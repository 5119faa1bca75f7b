import App
import Testing

/// `spin_emit_wait` of a real host, from C.
@Suite(.timeLimit(.minutes(10))) struct EmissionWaitTests {
    /// Runs the effect `load`, which does what `body` says, until it has emitted `told`.
    private func told(_ body: String) async throws -> [String] {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state  = { done = false }
            events = { loaded = { text = "string" }, told = { text = "string" } }
            until  = "state.done"
            on     = { loaded = {}, told = { set = { done = "true" } } }
            feedback.load.effect = "lib:load"

            """,
            library: """
                #include <pthread.h>
                #include <stddef.h>
                #include <spinhost/plugin.h>
                SPIN_PLUGIN("lib", "1.0.0");
                SPIN_EMITTER(loaded, (const char *, text));
                SPIN_EMITTER(told, (const char *, text));
                static const char *name(spin_status status) {
                    return status == SPIN_OK ? "ok" : status == SPIN_UNSUPPORTED ? "unsupported" : "other";
                }
                \(body)
                SPIN_EFFECT(void, load, (spin_call *call), "");

                """)
        #expect(end.outcome == .done)
        #expect(run.faults == [])
        return run.steps.dropFirst().map { String($0.prefix { $0 != " " }) }
    }

    /// An effect that has `work` done by a thread of its own.
    private static func elsewhere(_ work: String) -> String {
        """
        static void *work(void *context) {
            spin_call *call = context;
            \(work)
            spin_finish(call);
            return NULL;
        }
        \(ThreadedEffect.load(by: "work"))
        """
    }

    @Test(.inThisProcess("a call in a worker holds up no loop, so it may wait"))
    func onTheLoopsExecutor_itDoesNothing_andSaysSo() async throws {
        let events = try await told(
            """
            static void load(spin_call *call) {
                told(call, name(spin_wait_loaded(call, "in vain", SPIN_FOREVER)));
                spin_finish(call);
            }
            """)
        #expect(events == [#"told{"text":"unsupported"}"#])
    }

    @Test func onAThreadOfThePlugin_itEmits() async throws {
        let events = try await told(
            Self.elsewhere(#"told(call, name(spin_wait_loaded(call, "one", SPIN_FOREVER)));"#))
        #expect(events == [#"loaded{"text":"one"}"#, #"told{"text":"ok"}"#])
    }
}
