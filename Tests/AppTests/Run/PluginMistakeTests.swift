import App
import Foundation
import HostLoop
import TestSupport
import Testing

/// What becomes of an app whose plugin does what it should not.
@Suite(.timeLimit(.minutes(10))) struct PluginMistakeTests {
    /// A loop that calls one effect, whose result or failure ends it.
    private static func manifest(
        _ effect: String, _ args: String = "[]", isolation: String = "inline", _ more: String = ""
    ) -> String {
        """
        [plugins.lib]
        library   = "./lib.so"
        isolation = "\(isolation)"
        [loops.main]
        state  = { n = 0, ticks = 0, done = false }
        events = { ended = { n = "int" }, ticked = { n = "int" } }
        until  = "state.done"
        [loops.main.on]
        ended  = { set = { n = "event.n", done = "true" } }
        ticked = { set = { ticks = "state.ticks + 1" } }
        [loops.main.feedback.one]
        effect   = "lib:\(effect)"
        args     = \(args)
        on-error = { event = "ended", n = "error.code" }
        \(more)

        """
    }

    private func run(_ text: String, _ fixture: String) async throws -> (run: RecordedRun, end: AppEnd) {
        let source = Project.root.appendingPathComponent("Tests/Fixtures/plugins/\(fixture)")
        let plugin = try CompiledPlugin(
            try String(contentsOf: source, encoding: .utf8),
            compiler: fixture.hasSuffix(".cpp") ? "c++" : "cc")
        let run = RecordedRun()
        return (run, try await run.run(text, plugin: plugin))
    }

    @Test(arguments: [
        ("read_null", -1120), ("give_up", -1120), ("overflow_stack", -1120), ("throw_text", -1020),
        ("return_wild_text", -1023),
    ])
    func crash_ofAGuardedPlugin_isAFailureWithACode(_ effect: String, _ code: Int) async throws {
        let (run, end) = try await run(Self.manifest(effect, isolation: "guarded"), "crashes.cpp")
        #expect(end.counters.faults == 0 && end.outcome == .done)
        #expect(run.steps.last?.hasPrefix(#"ended{"n":\#(code)}"#) == true, "\(run.steps)")
    }

    @Test func pendingCalls_ofAPluginThatCrashes_fail() async throws {
        let text =
            Self.manifest("wait", isolation: "guarded")
                + """
                [loops.main.feedback.two]
                effect = "lib:crash_on_timer"

                """
        let (run, end) = try await run(text, "crashes.cpp")
        #expect(end.outcome == .done)
        #expect(run.steps.last?.hasPrefix(#"ended{"n":-1121}"#) == true, "\(run.steps)")
    }

    @Test func reducer_thatCrashes_isAFaultOfTheStep() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            app.on-fault = "stop"
            [plugins.lib]
            library   = "./lib.so"
            isolation = "guarded"
            [loops.main]
            state   = { n = 1, text = "old" }
            events  = { go = {} }
            reducer = "lib:reduce"
            feedback.script = { effect = "lib:script" }

            """,
            library: """
                #include "app.h"
                SPIN_PLUGIN("lib", "1.0.0");
                static void script(spin_call *call) { main_emit_go(call); spin_finish(call); }
                SPIN_EFFECT(void, script, (spin_call *call), "");
                static int64_t *volatile nothing;
                static spin_status reduce(spin_reduction *step, main_state *state, const main_event *event) {
                    (void)step, (void)event;
                    state->n = 2;
                    state->n = *nothing;
                    return SPIN_OK;
                }
                SPIN_REDUCER(reduce, main_state, main_event, "");

                """)
        #expect(end.outcome == .fault)
        #expect(run.faults == ["main 0 reducer: `reduce` crashed with SIGSEGV at address 0x0"])
        #expect(run.steps == [#"{"n":1,"text":"old"}"#])
    }

    @Test func waitingOnTheLoop_isRefused_andLogged() async throws {
        let (run, _) = try await run(
            Self.manifest("emit_waiting", "[]", #"emits.ticked = { event = "ended", n = "value.n" }"#),
            "misbehaves.c")
        #expect(run.steps.last?.hasPrefix(#"ended{"n":-6}"#) == true, "\(run.steps)")
        #expect(
            run.logged == [
                "misbehaves 1: effect `emit_waiting`: it called `spin_emit_wait` on the executor of a loop, which alone could make room: use `spin_emit` there"
            ])
    }

    @Test(arguments: ["loop", "pool"])
    func flood_fromAThread_isTakenAsFarAsThereIsRoom(_ executor: String) async throws {
        let count = 200_000
        let text = Self.manifest("flood_from_thread", "[\(count)]", "executor = \"\(executor)\"")
            .replacing("until  = \"state.done\"", with: "mailbox = { capacity = 100, overflow = \"reject\" }")
        let (_, end) = try await run(text, "misbehaves.c")
        #expect(end.outcome == .nothingLeft(unreached: []))
        #expect(end.counters.steps + end.counters.drops == count)
        #expect(end.counters.steps >= 100)
    }
}
