import App
import Testing

/// Effects that emit later, on threads of their own, and what they do wrong.
struct EmissionRunTests {
    /// `[loops.main]` with an event `loaded` and the effect `lib:load`.
    private static func loading(until: String = "state.n == 1", more: String = "") -> String {
        """
        \(more)
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        state  = { n = 0, text = "" }
        events = { loaded = { text = "string" } }
        until  = "\(until)"
        [loops.main.on]
        loaded = { set = { n = "state.n + 1", text = "event.text" } }
        [loops.main.feedback.load]
        effect = "lib:load"

        """
    }

    /// A plugin whose effect `load` does what `body` says.
    private static func plugin(_ body: String) -> String {
        """
        #include <pthread.h>
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("lib", "1.0.0");
        SPIN_EMITTER(loaded, (const char *, text));
        \(body)
        SPIN_EFFECT(void, load, (spin_call *call), "");

        """
    }

    @Test(arguments: [
        (#""a\xFF""#, "`text`: the text is not UTF-8 at byte 1"),
        ("NULL", "`text`: expected text, found null"),
    ])
    func invalidEmission_isAFault_andTheRunGoesOn(_ text: String, _ reason: String) async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.loading(),
            library: Self.plugin(
                """
                static void load(spin_call *call) {
                    if (loaded(call, \(text)) == SPIN_BAD_VALUE) loaded(call, "refused");
                    spin_finish(call);
                }
                """))
        #expect(end.outcome == .done)
        #expect(end.counters.faults == 1)
        #expect(run.steps.last == #"loaded{"text":"refused"} {"n":1,"text":"refused"}"#)
        #expect(
            run.faults == [
                "main 0 feedback:load: `load` emitted a `loaded` that is not what the emitter declares: \(reason)"
            ])
    }

    @Test func invalidEmission_endsAnAppThatStopsOnFaults() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.loading(more: "app.on-fault = \"stop\""),
            library: Self.plugin("static void load(spin_call *call) { loaded(call, NULL); }"))
        #expect(end.outcome == .fault)
        #expect(end.counters.faults == 1)
    }
}
