import App
import Testing

@Suite(.timeLimit(.minutes(10))) struct ManifestRunTests {
    private static let identity = "long same(long n) { return n; }"

    /// One event `go` with a number; `[loops.main.on]` is open for more.
    private static func counting(state: String, set: String, until: String, more: String = "") -> String {
        """
        [plugins.lib]
        library  = "./lib.so"
        declares = "long same(long n);"
        [loops.main]
        state  = \(state)
        events = { go = { n = "int" } }
        until  = "\(until)"
        [loops.main.on]
        go = \(set)
        [loops.main.feedback.step]
        effect = "lib:same"
        args   = ["state.n + 1"]
        emit   = { event = "go", n = "result" }
        \(more)
        """
    }

    @Test func rightSides_areAllComputedFromTheOldState() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.counting(
                state: "{ n = 0, a = 1, b = 2 }",
                set: "{ set = { n = \"event.n\", a = \"state.b\", b = \"state.a\" } }",
                until: "state.n == 2"), library: Self.identity)
        #expect(end.outcome == .done)
        #expect(
            run.steps == [
                #"{"n":0,"a":1,"b":2}"#, #"go{"n":1} {"n":1,"a":2,"b":1}"#, #"go{"n":2} {"n":2,"a":1,"b":2}"#,
            ])
    }

    @Test func failingRightSide_leavesTheWholeState() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.counting(
                state: "{ n = 0, a = 1 }",
                set: "{ set = { n = \"event.n * 1\", a = \"10 / (1 - event.n)\" } }",
                until: "state.n == 9"), library: Self.identity)
        #expect(end.outcome == .nothingLeft(unreached: ["main"]))
        #expect(run.steps == [#"{"n":0,"a":1}"#])
        #expect(run.faults == ["main 0 reducer: `10 / 0` divides by zero"])
        #expect(end.counters.faults == 1)
    }

    @Test func transitions_fallThroughToTheFirstThatApplies() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.counting(
                state: "{ n = 0, kind = \"\" }",
                set: """
                    [{ if = "event.n == 1", set = { n = "event.n", kind = "'one'" } }, \
                    { if = "event.n == 3", ignore = true }, { set = { n = "event.n", kind = "'other'" } }]
                    """, until: "false"), library: Self.identity)
        #expect(end.outcome == .nothingLeft(unreached: ["main"]))
        #expect(
            run.steps == [
                #"{"n":0,"kind":""}"#, #"go{"n":1} {"n":1,"kind":"one"}"#,
                #"go{"n":2} {"n":2,"kind":"other"}"#,
            ])
        #expect(run.faults.isEmpty)
    }

    @Test func change_runsAgainOnlyWhenArgumentsDiffer_orWhenWasFalseInBetween() async throws {
        let run = RecordedRun()
        _ = try await run.run(
            Self.counting(
                state: "{ n = 0 }", set: "{ set = { n = \"event.n\" } }", until: "state.n == 6",
                more: """
                    [loops.main.feedback.report]
                    effect = "std:print"
                    when   = "state.n != 4"
                    args   = ["state.n < 3 ? 'low' : state.n < 6 ? 'high' : 'top'"]
                    """), library: Self.identity)
        #expect(run.lines == ["low", "high", "high", "top"])
    }

    @Test func onEvent_seesItsEvent_andTheStateItCaused() async throws {
        let run = RecordedRun()
        _ = try await run.run(
            Self.counting(
                state: "{ n = 0 }", set: "{ set = { n = \"event.n * 10\" } }", until: "state.n > 100",
                more: """
                    [loops.main.feedback.report]
                    effect = "std:print"
                    on     = "go"
                    when   = "event.n != 1"
                    args   = ["string(event.n) + ' ' + string(state.n)"]
                    """), library: Self.identity)
        #expect(run.lines == ["11 110"])
    }

    @Test func print_takesAnyText() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.counting(
                state: "{ n = 0 }", set: "{ set = { n = \"event.n\" } }", until: "state.n == 1",
                more: """
                    [loops.main.feedback.report]
                    effect = "std:print"
                    args   = ["state.n == 0 ? 'a\\\\u0000b' : ''"]
                    """), library: Self.identity)
        #expect(run.lines == ["a\0b", ""])
        #expect(end.counters.faults == 0)
    }

    @Test func onEvent_handlesAnEventWithoutTransition() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.counting(
                state: "{ n = 0 }", set: "[{ if = \"event.n > 5\", set = { n = \"event.n\" } }]",
                until: "false",
                more: """
                    [loops.main.feedback.report]
                    effect = "std:print"
                    on     = "go"
                    args   = ["'went ' + string(event.n)"]
                    """), library: Self.identity)
        #expect(run.lines == ["went 1"])
        #expect(run.steps == [#"{"n":0}"#, #"go{"n":1} {"n":0}"#])
        #expect(end.counters.steps == 1)
    }

    @Test func stateTrigger_runsOnEveryNewState() async throws {
        let run = RecordedRun()
        _ = try await run.run(
            Self.counting(
                state: "{ n = 0 }", set: "{ set = { n = \"event.n\" } }", until: "state.n == 2",
                more: """
                    [loops.main.feedback.report]
                    effect  = "std:print"
                    trigger = "state"
                    args    = ["'again'"]
                    """), library: Self.identity)
        #expect(run.lines == ["again", "again", "again"])
    }

    @Test func emitList_isOneBatch_ofAllThatHold_inOrder() async throws {
        let run = RecordedRun()
        _ = try await run.run(
            """
            [plugins.lib]
            library  = "./lib.so"
            declares = "long same(long n);"
            [loops.main]
            state  = { log = "" }
            events = { a = { n = "u8" }, b = {}, c = { text = "string?" } }
            until  = "size(state.log) >= 2"
            [loops.main.on]
            a = { set = { log = "state.log + 'a' + string(event.n)" } }
            b = { set = { log = "state.log + 'b'" } }
            c = { set = { log = "state.log + (has(event.text) ? 'c' : '-')" } }
            [loops.main.feedback.step]
            effect = "lib:same"
            args   = [7]
            emit   = [{ event = "c" }, { event = "b", if = "result != 7" }, { event = "a", n = "result" }]

            """, library: Self.identity)
        #expect(
            run.steps == [#"{"log":""}"#, #"c{"text":null} {"log":"-"}"#, #"a{"n":7} {"log":"-a7"}"#])
    }

    @Test func valueThatDoesNotFit_isAFault_andTheBatchIsNotSent() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.counting(state: "{ n = 0 }", set: "{ set = { n = \"event.n\" } }", until: "state.n == 1")
                .replacing("{ n = \"int\" }", with: "{ n = \"u8\" }")
                .replacing("n = \"result\" }", with: "n = \"result + 300\" }"), library: Self.identity)
        #expect(end.counters.steps == 0)
        #expect(run.faults == ["main 0 feedback:step: `301` does not fit `u8` (0 to 255)"])
    }

    @Test func stringsListsAndStructs_crossTheBorder() async throws {
        let run = RecordedRun()
        _ = try await run.run(
            """
            [plugins.lib]
            library  = "./lib.so"
            declares = \"\"\"
            struct point { double x; int y[2]; };
            long total(const long *items, unsigned long count);
            const char *shout(const char *text);
            double norm(const struct point *at);
            \"\"\"
            [loops.main]
            state  = { items = [1, 2, 39], name = "grün", at = { x = 3.0, y = 4 }, sum = 0, loud = "", far = 0.0 }
            events = { summed = { sum = "int" }, shouted = { text = "string" } }
            until  = "state.sum == 42 && state.loud == 'GRÜN!'"
            [loops.main.on]
            summed  = { set = { sum = "event.sum" } }
            shouted = { set = { loud = "event.text" } }
            [loops.main.feedback]
            sum   = { effect = "lib:total", args = ["state.items", "size(state.items)"], emit = { event = "summed", sum = "result" } }
            shout = { effect = "lib:shout", args = ["state.name"], emit = { event = "shouted", text = "result" } }

            """,
            library: """
                #include <string.h>
                struct point { double x; int y[2]; };
                long total(const long *items, unsigned long count) { long sum = 0; while (count--) sum += *items++; return sum; }
                const char *shout(const char *text) { return strcmp(text, "gr\\303\\274n") ? "?" : "GR\\303\\234N!"; }
                double norm(const struct point *at) { return at->x; }
                """)
        #expect(run.faults.isEmpty)
        #expect(run.steps.last?.contains(#""sum":42,"loud":"GRÜN!""#) == true)
    }

    @Test func twoLoops_runSideBySide_andTheAppEndsWithTheLastUntil() async throws {
        let run = RecordedRun()
        let loop = Self.counting(
            state: "{ n = 0 }", set: "{ set = { n = \"event.n\" } }", until: "state.n == 1000")
        let second = loop.split(separator: "\n").dropFirst(3).joined(separator: "\n")
            .replacing("loops.main", with: "loops.other")
        let end = try await run.run(loop + "\n" + second, library: Self.identity)
        #expect(end.outcome == .done)
        #expect(end.counters.steps == 2000)
    }

    @Test func tenThousandSteps_withoutObserver_areAllCounted() async throws {
        let app = try RecordedRun().app(
            Self.counting(
                state: "{ n = 0 }", set: "{ set = { n = \"event.n\" } }", until: "state.n == 10000"),
            library: Self.identity)
        defer { app.close() }
        for _ in 0..<3 {
            let end = await app.start().finished()
            #expect(end.outcome == .done)
            #expect(end.counters.steps == 10000)
            #expect(end.abandoned.isEmpty)
        }
    }
}
