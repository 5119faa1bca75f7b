import App
import Testing

/// `trigger = { each = …, key = … }`: one run for each item.
@Suite(.timeLimit(.minutes(10))) struct EachRunTests {
    private static func listing(
        state: String, on: String, feedback: String, events: String = "", feedbacks: String = ""
    ) -> String {
        """
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        state  = \(state)
        events = { done = { n = "int" }\(events) }
        [loops.main.on]
        \(on)
        [loops.main.feedback]
        each = { \(feedback) }
        \(feedbacks)

        """
    }

    private func run(_ manifest: String) async throws -> (RecordedRun, AppEnd) {
        let run = RecordedRun()
        let end = try await run.run(manifest, plugin: CompiledPlugin.feedbacks.get())
        return (run, end)
    }

    @Test func eachItem_getsARun_withItsOwnArguments() async throws {
        let (run, end) = try await run(
            Self.listing(
                state:
                    #"{ sum = 0, items = [{ id = "a", n = 1 }, { id = "b", n = 20 }, { id = "c", n = 300 }] }"#,
                on: #"done = { set = { sum = "state.sum + event.n" } }"#,
                feedback: #"""
                    effect = "lib:same", args = ["item.n"], trigger = { each = "state.items", key = "item.id" }, \#
                    when = "item.n > 1", emit = { event = "done", n = "result + size(item.id)" }
                    """#))
        #expect(run.faults == [] && end.counters.steps == 2)
        #expect(
            run.steps.map { $0.prefix(14) } == [#"{"sum":0,"item"#, #"done{"n":21} {"#, #"done{"n":301} "#])
    }

    @Test func removedItem_endsItsRun_andOthersContinue() async throws {
        let (run, end) = try await run(
            Self.listing(
                state: "{ log = '', items = [1, 2, 3] }".replacing("''", with: "\"\""),
                on: """
                    gone = { set = { items = "[3, 1]" } }
                    done = { set = { log = "state.log + string(event.n)" } }
                    """,
                feedback: #"effect = "lib:hold", args = ["item"], trigger = { each = "state.items" }"#,
                events: ", gone = {}",
                feedbacks: #"""
                    gone = { effect = "lib:same", args = [1], emit = { event = "gone" } }
                    let  = { effect = "lib:release", when = "size(state.items) == 2" }
                    """#))
        #expect(run.faults == [])
        #expect(run.steps.last == #"done{"n":1} {"log":"31","items":[3,1]}"#)
        #expect(end.counters.drops == 1)
    }

    @Test func argumentsOfAnItemThatChange_replaceItsRunAlone() async throws {
        let (run, end) = try await run(
            Self.listing(
                state: #"{ log = "", items = [{ id = 1, n = 1 }, { id = 2, n = 2 }] }"#,
                on: """
                    grown = { set = { items = "[{'id': 1, 'n': 1}, {'id': 2, 'n': 7}]" } }
                    done  = { set = { log = "state.log + string(event.n)" } }
                    """,
                feedback: #"""
                    effect = "lib:hold", args = ["item.n"], trigger = { each = "state.items", key = "item.id" }, \#
                    emits.done = { event = "done", n = "value.n * 10 + item.n" }
                    """#,
                events: ", grown = {}",
                feedbacks: #"""
                    grow = { effect = "lib:same", args = [1], emit = { event = "grown" } }
                    let  = { effect = "lib:release", when = "state.items[1].n == 7" }
                    """#))
        #expect(run.faults == [])
        #expect(run.steps.last?.contains(#""log":"7711""#) == true)
        #expect(end.counters.drops == 1)
    }

    @Test func itemsWithEqualKeys_areAFault_andNoneRuns() async throws {
        let (run, end) = try await run(
            Self.listing(
                state: "{ items = [4, 5, 4] }", on: "done = {}",
                feedback:
                    #"effect = "lib:same", args = ["item"], trigger = { each = "state.items" }, emit = { event = "done", n = "result" }"#
            ))
        #expect(run.faults == ["main 0 feedback:each: two items have the same key: 4"])
        #expect(end.counters.steps == 0)
    }

    @Test func conditionWithoutAValue_keepsThatItemFromRunning() async throws {
        let (run, _) = try await run(
            Self.listing(
                state: "{ items = [4, 0, 5] }", on: "done = { ignore = true }",
                feedback:
                    #"effect = "lib:same", args = ["item"], when = "20 / item > 0", trigger = { each = "state.items" }, emit = { event = "done", n = "result" }"#
            ))
        #expect(run.faults == ["main 0 feedback:each: `20 / 0` divides by zero"])
    }

    @Test func runsForItems_mayWait_beRepeated_andRunElsewhere() async throws {
        let (run, end) = try await run(
            Self.listing(
                state: "{ log = '', items = [1, 2] }".replacing("''", with: "\"\""),
                on: #"done = { set = { log = "state.log + string(event.n)" } }"#,
                feedback: #"""
                    effect = "lib:negative", args = ["item"], trigger = { each = "state.items" }, executor = "queue", \#
                    delay = "1ms", retry = 2, on-error = { event = "done", n = "error.code * 10 + item" }
                    """#))
        #expect(run.faults == [])
        #expect(end.counters.steps == 2)
        #expect(
            run.steps.last?.contains(#""log":"1122""#) == true
                || run.steps.last?.contains(#""log":"2211""#) == true)
    }
}
