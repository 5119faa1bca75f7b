import App
import HostLoop
import Journal
import Records
import TestSupport
import Testing

/// Foreign code can write any byte into a `bool`, and any number into an enumeration.
@Suite(.timeLimit(.minutes(10))) struct JournalForeignValueTests {
    private static let text = """
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        events  = { go = { flag = "bool", level = "low | high" }, told = { flag = "bool" }, spoil = {}, stop = {} }
        until   = "state.done"
        reducer = "lib:reduce"
        [loops.main.state]
        done  = false
        flag  = false
        flags = { type = "[bool]" }
        maybe = { type = "bool?" }
        level = { type = "low | high" }
        [loops.main.feedback.ask]
        effect = "lib:ask"
        args   = []
        emit   = { event = "told", flag = "result" }
        [loops.main.feedback.script]
        effect = "lib:script"

        """

    private static let library = """
        #include "app.h"
        #include <string.h>
        SPIN_PLUGIN("lib", "1.0.0");
        static bool ask(void) {
            bool flag;
            memset(&flag, 2, 1);
            return flag;
        }
        SPIN_EFFECT(bool, ask, (void), "");
        static void script(spin_call *call) {
            main_event_go go;
            memset(&go, 0, sizeof go);
            memset(&go.flag, 3, 1);
            main_emit_go(call, &go);
            memset(&go.level, 7, sizeof go.level);
            main_emit_go(call, &go);
            main_emit_spoil(call);
            main_emit_stop(call);
            spin_finish(call);
        }
        SPIN_EFFECT(void, script, (spin_call *call), "");
        static spin_status reduce(spin_reduction *step, main_state *state, const main_event *event) {
            (void)step;
            switch (event->tag) {
            case MAIN_EVENT_GO: memset(&state->flag, 4, 1); memset(&state->maybe, 5, sizeof state->maybe); break;
            case MAIN_EVENT_SPOIL: memset(&state->level, 9, sizeof state->level); break;
            case MAIN_EVENT_STOP: state->done = true; break;
            default: break;
            }
            return SPIN_OK;
        }
        SPIN_REDUCER(reduce, main_state, main_event, "");

        """

    @Test(arguments: ["every-step", "batched"])
    func `nothing that foreign code writes makes a journal unreadable`(_ durability: String) async throws {
        let world = try JournalWorld(
            Self.text, library: Self.library, journal: "durable = \"\(durability)\"\ninterval = \"1ms\"")
        let (record, end) = try await world.run()
        #expect(end.outcome == .done)
        let last = #"{"done":true,"flag":true,"flags":[],"maybe":true,"level":"low"}"#
        #expect(try JournalWorld.states(world.store)["main"] == last)
        #expect(record.steps.contains { $0.hasPrefix(#"told{"flag":true} "#) }, "\(record.steps)")
        #expect(record.steps.contains { $0.hasPrefix(#"go{"flag":true,"level":"low"} "#) }, "\(record.steps)")
        // The second `go`, and the state with a level that is none.
        #expect(record.faults.count == 2, "\(record.faults)")
        var positions: [UInt64] = []
        let point = try JournalReader(world.store).all { placed, _ in positions.append(placed.position) }
        #expect(point.damage == nil && positions == Array(1..<point.state.next))
    }
}
