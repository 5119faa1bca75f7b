import App
import Diagnostics
import Foundation
import TestSupport
import Testing

/// Native reducers: what they may leave behind, and what of it is a state.
@Suite(.timeLimit(.minutes(10))) struct ReducerRunTests {
    /// A loop `main` whose effect `go` emits one `go`, then one `stop`; the reducer handles them with `body`.
    private static func manifest(_ more: String = "", state: String) -> String {
        """
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        events  = { go = { n = "int", text = "string" }, stop = {} }
        until   = "state.done"
        reducer = "lib:reduce"
        \(more)
        [loops.main.state]
        done = false
        \(state)
        [loops.main.feedback.script]
        effect = "lib:script"

        """
    }

    private static let script = """
        #include "app.h"
        #include <string.h>
        SPIN_PLUGIN("lib", "1.0.0");
        static void script(spin_call *call) {
            const main_event_go go = {7, {"text of the event", 17}};
            main_emit_go(call, &go);
            main_emit_stop(call);
            spin_finish(call);
        }
        SPIN_EFFECT(void, script, (spin_call *call), "");

        """

    /// A plugin whose reducer does `body` for `go`, and ends the loop for `stop`.
    private static func library(_ body: String) -> String {
        script + """
            static spin_status reduce(spin_reduction *step, main_state *state, const main_event *event) {
                (void)step;
                if (event->tag == MAIN_EVENT_STOP) { state->done = true; return SPIN_OK; }
                \(body)
                return SPIN_OK;
            }
            SPIN_REDUCER(reduce, main_state, main_event, "");

            """
    }

    private static let plain = """
        level = { type = "low | high" }
        flag  = false
        point = { x = 1 }
        """

    private static let before =
        #""level":"low","flag":false,"text":"old","raw":"","list":[],"point":{"x":1},"maybe":null"#

    @Test func everyKindOfMemory_isTakenOver() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(state: Self.state),
            library: Self.library(
                """
                static const uint8_t constant[] = {1, 2, 3};
                char *text = (char *)spin_alloc(step, 6);
                memcpy(text, "fresh", 6);
                spin_string *list = (spin_string *)spin_alloc(step, 3 * sizeof *list);
                list[0] = state->text;
                list[1] = event->as.go.text;
                list[2] = (spin_string){text, 5};
                state->text = (spin_string){text, 5};
                state->raw = (spin_bytes){constant, 3};
                state->list.items = list;
                state->list.count = 3;
                state->maybe.has = true;
                state->maybe.value = (spin_string){event->as.go.text.data + 12, 5};
                state->level = MAIN_STATE_LEVEL_HIGH;
                memset(&state->flag, 4, 1);
                state->point.x = event->as.go.n;
                memset(text, '!', 0);
                """))
        #expect(end.outcome == .done)
        #expect(run.faults == [])
        #expect(
            run.steps[1]
                == #"go{"n":7,"text":"text of the event"} {"done":false,"level":"high","flag":true,"text":"fresh","raw":"AQID","#
                + #""list":["old","text of the event","fresh"],"point":{"x":7},"maybe":"event"}"#)
    }

    private static let state = """
        level = { type = "low | high" }
        flag  = false
        text  = "old"
        raw   = { type = "bytes" }
        list  = { type = "[string]" }
        point = { x = 1 }
        maybe = { type = "string?" }
        """

    @Test(arguments: [
        ("state->level = 2;", "`level`: `2` is none of the 2 members"),
        ("state->level = -1;", "`level`: `-1` is none of the 2 members"),
        (#"state->text = (spin_string){"a\xFF", 2};"#, "`text`: the text is not UTF-8 at byte 1"),
        ("state->text.data = NULL;", "`text`: a null pointer comes with a size of 3"),
        ("state->raw.size = SIZE_MAX;", "`raw`: a size of 18446744073709551615 is beyond the limit of 1 GiB"),
        ("state->list.count = 1; state->list.items = NULL;", "`list`: a null pointer comes with a size of 1"),
        (
            #"static const spin_string bad = {"\xC3", 1}; state->list.items = &bad; state->list.count = 1;"#,
            "`list[0]`: the text is not UTF-8 at byte 0"
        ),
        (
            #"state->maybe.has = true; state->maybe.value = (spin_string){"\xC0", 1};"#,
            "`maybe`: the text is not UTF-8 at byte 0"
        ),
    ])
    func invalidState_isAFaultThatNamesTheField_andNothingChanges(_ body: String, _ reason: String)
        async throws
    {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(state: Self.state), library: Self.library("state->point.x = 9; " + body))
        #expect(end.outcome == .done)
        #expect(run.faults == ["main 0 reducer: `reduce` left an invalid state: \(reason)"])
        #expect(run.steps == ["{\"done\":false,\(Self.before)}", "stop{} {\"done\":true,\(Self.before)}"])
    }

    @Test(arguments: ["-1", "2", "SPIN_NO_MEMORY"])
    func anyOtherAnswer_isAFault(_ answer: String) async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(state: Self.state), library: Self.library("state->point.x = 9; return \(answer);"))
        #expect(end.outcome == .done)
        #expect(
            run.faults == ["main 0 reducer: `reduce` answered \(answer == "SPIN_NO_MEMORY" ? "-7" : answer)"])
        #expect(run.steps.count == 2)
    }

    @Test func stateOfScalars_isCheckedAndNormalised() async throws {
        let good = RecordedRun()
        _ = try await good.run(
            Self.manifest(state: Self.plain),
            library: Self.library("memset(&state->flag, 255, 1); state->level = 1; state->point.x = 3;"))
        #expect(
            good.steps[1]
                == #"go{"n":7,"text":"text of the event"} {"done":false,"level":"high","flag":true,"point":{"x":3}}"#
        )
        let bad = RecordedRun()
        let end = try await bad.run(
            Self.manifest(state: Self.plain), library: Self.library("state->point.x = 3; state->level = 7;"))
        #expect(end.counters.faults == 1)
        #expect(bad.steps.last == #"stop{} {"done":true,"level":"low","flag":false,"point":{"x":1}}"#)
    }

    /// A state of numbers is changed in place.
    @Test(
        arguments: [
            ("return SPIN_UNHANDLED;", nil), ("return -1;", "answered -1"),
            (#"throw std::runtime_error("no");"#, "threw a C++ exception: `no`"),
        ] as [(String, String?)], ["inline", "guarded"])
    func stateOfNumbers_isAsBefore_unlessTheReducerIsWell(
        _ body: (source: String, fault: String?), isolation: String
    ) async throws {
        let run = RecordedRun()
        let app = try run.app(
            """
            [plugins.lib]
            library   = "./lib.so"
            isolation = "\(isolation)"
            [loops.main]
            state   = { a = 1, x = 2, b = 3.5 }
            events  = { go = {}, stop = {} }
            until   = "state.x == 0"
            reducer = "lib:reduce"
            feedback.script = { effect = "lib:script" }

            """,
            library: """
                #include "app.h"
                #include <stdexcept>
                SPIN_PLUGIN("lib", "1.0.0");
                static void script(spin_call *call) {
                    main_emit_go(call);
                    main_emit_stop(call);
                    spin_finish(call);
                }
                SPIN_EFFECT(void, script, (spin_call *call), "");
                static spin_status reduce(spin_reduction *, main_state *state, const main_event *event) {
                    if (event->tag == MAIN_EVENT_GO) {
                        state->a = state->x = state->b = 9;
                        \(body.source)
                    }
                    state->x = 0;
                    return SPIN_OK;
                }
                SPIN_REDUCER(reduce, main_state, main_event, "");

                """, compiler: "c++")
        defer { app.close() }
        #expect(await app.start(observer: run).end().outcome == .done)
        #expect(run.faults == (body.fault.map { ["main 0 reducer: `reduce` \($0)"] } ?? []))
        #expect(run.steps == [#"{"a":1,"x":2,"b":3.5}"#, #"stop{} {"a":1,"x":0,"b":3.5}"#])
    }

    @Test func valueOutOfItsRange_isAFault() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(state: "level = { type = \"int\", initial = 1, range = [0, 5] }"),
            library: Self.library("state->level = event->as.go.n;"))
        #expect(end.outcome == .done)
        #expect(run.faults == ["main 0 reducer: `level` would be `7`, which is out of its range"])
        #expect(run.steps == [#"{"done":false,"level":1}"#, #"stop{} {"done":true,"level":1}"#])
    }

    @Test(arguments: [
        (
            "main_enter_named(state); state->as.named.n = 5; state->as.named.name = event->as.go.text;",
            #"{"case":"named","done":false,"name":"text of the event","n":5}"#, [String]()
        ),
        (
            "state->tag = 9;", nil,
            ["main 0 reducer: `reduce` left an invalid state: `case`: `9` is none of the 2 cases"]
        ),
        (
            "main_enter_named(state); state->as.named.name.size = 1;", nil,
            [
                "main 0 reducer: `reduce` left an invalid state: `name`: a null pointer comes with a size of 1"
            ]
        ),
    ])
    func stateWithCases_changesItsCase(_ body: String, _ state: String?, _ faults: [String]) async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            events  = { go = { n = "int", text = "string" }, stop = {} }
            states  = { idle = {}, named = { name = "", n = 0 } }
            initial = "idle"
            shared  = { done = false }
            until   = "state.done"
            reducer = "lib:reduce"
            [loops.main.feedback.script]
            effect = "lib:script"

            """, library: Self.library(body))
        #expect(end.outcome == .done)
        #expect(run.faults == faults)
        #expect(run.steps[0] == #"{"case":"idle","done":false}"#)
        if let state { #expect(run.steps[1].hasSuffix(" " + state)) }
        #expect(run.steps.count == (state == nil ? 2 : 3))
    }

    @Test func declinedEvent_goesToTheManifest_whichSeesTheOldState() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest("on.go = { set = { flag = \"state.point.x == 1\" } }", state: Self.plain),
            library: Self.library("state->point.x = 5; return SPIN_UNHANDLED;"))
        #expect(end.outcome == .done)
        #expect(
            run.steps[1]
                == #"go{"n":7,"text":"text of the event"} {"done":false,"level":"low","flag":true,"point":{"x":1}}"#
        )
    }

    @Test func eventThatNobodyHandles_isNoStep_andNoFault() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(state: Self.plain), library: Self.library("return SPIN_UNHANDLED;"))
        #expect(end.outcome == .done)
        #expect((end.counters.steps, end.counters.faults) == (1, 0))
    }

    @Test func memoryOfOneStep_isLimited_andAligned() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(state: Self.plain),
            library: Self.library(
                """
                for (size_t size = 0; size < 20000; size += 777) {
                    char *p = (char *)spin_alloc(step, size);
                    if (!p || (uintptr_t)p % 16 != 0) return SPIN_FAILED;
                    memset(p, 255, size);
                }
                if (spin_alloc(step, SIZE_MAX) || spin_alloc(step, (size_t)1 << 30)) return SPIN_FAILED;
                """))
        #expect((end.counters.steps, end.counters.faults) == (2, 0))
    }

    @Test func memoryOfAStep_isThatOfTheNextOne() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(state: Self.plain),
            library: Self.library(
                """
                static void *first;
                void *now = spin_alloc(step, event->as.go.n % 2);
                if (!first) first = now;
                if (now != first) return SPIN_FAILED;
                if (event->as.go.n % 3 == 0 && !spin_alloc(step, 10000)) return SPIN_FAILED;
                """
            ).replacingOccurrences(
                of: "main_emit_go(call, &go);",
                with: """
                    main_emit_go(call, &go);
                    for (int i = 0; i < 600; i++) {
                        const main_event_go next = {i, {"", 0}};
                        main_emit_go(call, &next);
                    }
                    """))
        #expect(end.outcome == .done)
        #expect((end.counters.steps, end.counters.faults) == (602, 0))
    }

    @Test func feedbacksAndUntil_workAsUsual() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(state: Self.plain)
                + "[loops.main.feedback.print]\neffect = \"std:print\"\nargs = [\"string(state.point.x)\"]\n",
            library: Self.library("state->point.x = event->as.go.n;"))
        #expect(end.outcome == .done)
        #expect(run.lines == ["1", "7"])
    }

    @Test func libraryThatChangedAfterTheCheck_isRefusedAtLoad() throws {
        let folder = try TemporaryFolder()
        let manifest = try RecordedRun.manifest(
            Self.manifest(state: Self.plain), library: Self.library(""), in: folder)
        _ = try RecordedRun.manifest(
            Self.manifest(state: Self.plain.replacingOccurrences(of: "x = 1", with: "x = 0.5")),
            library: Self.library(""), in: folder)
        let error = #expect(throws: AppRefusal.self) {
            try App(manifest, log: { _ in }, output: { _ in true })
        }
        #expect(
            error?.diagnostics.map(\.message) == [
                "plugin `lib` was compiled with another header: `main_state.point.x`: expected `i64` at byte 0, found `f64` at byte 0"
            ])
    }
}
