import App
import Testing

/// `on-error`, `retry`, and what `error` says.
@Suite(.timeLimit(.minutes(10))) struct FailureRunTests {
    /// A loop whose only feedback fails, and which notes why.
    private static func failing(_ feedback: String, executor: String, declares: String = "") -> String {
        """
        [plugins.lib]
        library = "./lib.so"
        \(declares)
        [loops.main]
        state  = { code = 0, text = "", zero = 0 }
        events = { failed = { code = "int", text = "string" }, done = { n = "int" } }
        [loops.main.on]
        failed = { set = { code = "event.code", text = "event.text" } }
        done   = {}
        [loops.main.feedback]
        try = { executor = "\(executor)", on-error = { event = "failed", code = "error.code", text = "error.message" }, \(feedback) }

        """
    }

    @Test(
        arguments: [
            (
                #"effect = "lib:negative", args = [2]"#, 2,
                "it returned -7, errno 2 (no such file or directory)"
            ),
            (#"effect = "lib:negative", args = [0]"#, -1, "it returned -7"),
            (#"effect = "lib:same", args = [3], fails-if = "result == 3""#, -1, "it returned 3"),
            (#"effect = "lib:same", args = ["7 / state.zero"]"#, -1000, "`7 / 0` divides by zero"),
            (
                #"effect = "lib:same", args = [3], fails-if = "7 / state.zero == result""#, -1000,
                "`7 / 0` divides by zero"
            ),
            (
                #"effect = "lib:length", args = ["'a\\u0000b'"]"#, -1022,
                "`length` takes C text for `text`, which cannot hold a NUL"
            ),
            (
                #"effect = "lib:bad_text""#, -1023,
                "`bad_text` returned a value that is not of its type: the text is not UTF-8 at byte 1"
            ),
        ], ["loop", "pool", "queue"])
    func failures_thatReturn(_ failure: (feedback: String, code: Int, text: String), _ executor: String)
        async throws
    {
        let run = RecordedRun()
        let end = try await run.run(
            Self.failing(failure.feedback, executor: executor), plugin: CompiledPlugin.feedbacks.get())
        #expect(end.counters.faults == 0 && run.faults == [])
        #expect(end.counters.steps == 1)
        #expect(
            run.steps.last?.hasPrefix(#"failed{"code":\#(failure.code),"text":"\#(failure.text)"}"#) == true,
            "\(run.steps)")
    }

    @Test(
        arguments: [
            (#"effect = "lib:refuse", args = [-9, "'not today'"]"#, -9, "not today"),
            (#"effect = "lib:refuse", args = [5, "''"]"#, -1, ""),
        ], ["loop", "pool"])
    func failures_thatEffectsSay(_ failure: (feedback: String, code: Int, text: String), _ executor: String)
        async throws
    {
        let run = RecordedRun()
        let end = try await run.run(
            Self.failing(failure.feedback, executor: executor), plugin: CompiledPlugin.feedbacks.get())
        #expect(end.counters.faults == 0 && end.counters.steps == 1)
        #expect(
            run.steps.last?.hasPrefix(#"failed{"code":\#(failure.code),"text":"\#(failure.text)"}"#) == true)
    }

    @Test(arguments: ["loop", "pool"])
    func exceptions_andOverruns(_ executor: String) async throws {
        let source = #"""
            #include <stdexcept>
            #include <cstring>
            extern "C" int explode(int n) { throw std::runtime_error("it is over"); return n; }
            extern "C" void scribble(char *text, int size) { memset(text, 'a', size); }
            """#
        let declares = #"declares = "int explode(int n); void scribble(char *text, int size);""#
        for (feedback, code, text) in [
            (#"effect = "lib:explode", args = [1]"#, -1020, "`explode` threw a C++ exception: `it is over`"),
            (
                #"effect = "lib:scribble", args = [{ out = 4 }, 6]"#, -1021,
                "`scribble` wrote 2 bytes past the end of `text`, which has 4 bytes"
            ),
        ] {
            let run = RecordedRun()
            let end = try await run.run(
                Self.failing(feedback, executor: executor, declares: declares),
                plugin: CompiledPlugin(source, compiler: "c++"))
            #expect(end.counters.faults == 0 && end.counters.steps == 1)
            #expect(
                run.steps.last?.hasPrefix(#"failed{"code":\#(code),"text":"\#(text)"}"#) == true,
                "\(run.steps)")
        }
    }

    @Test func failureThatNoEntryHoldsFor_isAFault() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.failing(#"effect = "lib:negative", args = [2]"#, executor: "loop")
                .replacing(
                    #"text = "error.message" }"#, with: #"text = "error.message", if = "error.code > 2" }"#),
            plugin: CompiledPlugin.feedbacks.get())
        #expect(end.counters.steps == 0)
        #expect(
            run.faults == [
                "main 0 feedback:try: `negative` failed: it returned -7, errno 2 (no such file or directory)"
            ])
    }

    @Test func onError_isABatch() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.failing(#"effect = "lib:negative", args = [2]"#, executor: "pool")
                .replacing(
                    #"on-error = {"#,
                    with:
                        #"on-error = [{ event = "done", n = 1 }, { event = "done", n = 2, if = "error.code == 3" }, {"#
                )
                .replacing(#"text = "error.message" }"#, with: #"text = "error.message" }]"#),
            plugin: CompiledPlugin.feedbacks.get())
        #expect(end.counters.steps == 2 && end.counters.faults == 0)
        #expect(run.steps.dropFirst().map { $0.prefix(8) } == [#"done{"n""#, #"failed{""#])
    }

    @Test(arguments: [(1, "failed", 11), (2, "done", 3), (5, "done", 3)], ["loop", "pool"])
    func retry_callsAgain_untilItSucceeds(
        _ times: (retry: Int, event: String, value: Int), _ executor: String
    )
        async throws
    {
        let run = RecordedRun()
        let end = try await run.run(
            Self.failing(
                #"effect = "lib:attempt", args = [3], retry = \#(times.retry), emit = { event = "done", n = "result" }"#,
                executor: executor), plugin: CompiledPlugin.feedbacks.get())
        #expect(end.counters.faults == 0 && end.counters.steps == 1)
        let field = times.event == "done" ? "n" : "code"
        #expect(
            run.steps.last?.hasPrefix(#"\#(times.event){"\#(field)":\#(times.value)"#) == true, "\(run.steps)"
        )
    }

    @Test func argumentsWithoutAValue_failOnce_notForEachState() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state  = { n = 0 }
            events = { go = { n = "int" } }
            until  = "state.n == 4"
            [loops.main.on]
            go = { set = { n = "event.n" } }
            [loops.main.feedback]
            count = { effect = "lib:same", args = ["state.n + 1"], emit = { event = "go", n = "result" } }
            bad   = { effect = "lib:same", args = ["state.n < 2 ? 1 / 0 : state.n < 3 ? 5 : 2 / 0"] }
            """, plugin: CompiledPlugin.feedbacks.get())
        #expect(end.outcome == .done)
        #expect(
            run.faults == [
                "main 0 feedback:bad: `1 / 0` divides by zero",
                "main 3 feedback:bad: `2 / 0` divides by zero",
            ])
    }

    @Test func faultOfEmit_isNoFailureOfTheRun() async throws {
        for executor in ["loop", "pool"] {
            let run = RecordedRun()
            let end = try await run.run(
                Self.failing(
                    #"effect = "lib:same", args = [3], emit = { event = "done", n = "result / state.zero" }"#,
                    executor: executor), plugin: CompiledPlugin.feedbacks.get())
            #expect(end.counters.steps == 0)
            #expect(run.faults == ["main 0 feedback:try: `3 / 0` divides by zero"])
        }
    }
}
