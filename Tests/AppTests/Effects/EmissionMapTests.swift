import App
import Testing

/// Which events emissions become: `emits`, `emit`, and equal names.
@Suite(.timeLimit(.minutes(10))) struct EmissionMapTests {
    private func run(_ feedback: String, events: String = "done = { n = \"int\" }") async throws -> (
        steps: [String], AppEnd
    ) {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state  = { base = 100 }
            events = { \(events), seen = { n = "int" } }
            [loops.main.on]
            "*" = {}
            [loops.main.feedback.note]
            effect = "lib:note_twice"
            args   = [5]
            \(feedback)
            """, plugin: CompiledPlugin.feedbacks.get())
        #expect(run.faults == [])
        return (run.steps.dropFirst().map { String($0.prefix { $0 != " " }) }, end)
    }

    @Test func withoutAnything_equalNamesAndFieldsCount() async throws {
        let (steps, end) = try await run("")
        #expect(steps == [#"done{"n":5}"#])
        // `noted` becomes nothing.
        #expect(end.counters.drops == 1)
    }

    @Test func emits_mapsEachByItsName() async throws {
        let (steps, end) = try await run(
            """
            emits.noted = [{ event = "seen", n = "value.n" }, { event = "done", n = "value.n + state.base" }]
            emits.done  = { event = "seen", n = "value.n * 2", if = "value.n < 5" }
            """)
        #expect(steps == [#"seen{"n":6}"#, #"done{"n":106}"#])
        #expect(end.counters.drops == 0)
    }

    @Test func emit_isForWhatEmitsDoesNotName() async throws {
        let (steps, end) = try await run(
            """
            emit        = { event = "seen", n = "value.n" }
            emits.noted = []
            """)
        #expect(steps == [#"seen{"n":5}"#])
        #expect(end.counters.drops == 0)
    }

    @Test func emitThatFits_comesBeforeEqualNames() async throws {
        let (steps, _) = try await run(
            #"emit = { event = "seen", n = "value.n" }"#,
            events: "done = { n = \"int\" }, noted = { n = \"int\" }")
        #expect(steps == [#"seen{"n":5}"#, #"seen{"n":6}"#])
    }
}
