import App
import Testing

/// What becomes of a run that lasts when the next is due. Each strategy gives another outcome.
@Suite(.timeLimit(.minutes(10))) struct StrategyRunTests {
    /// A loop that counts `n` to 3, and then releases what its feedback `held` holds: the last first.
    private static func holding(_ held: String) -> String {
        """
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        state  = { n = 0, log = "" }
        events = { go = { n = "int" }, done = { n = "int" } }
        [loops.main.on]
        go   = { set = { n = "event.n" } }
        done = { set = { log = "state.log + string(event.n)" } }
        [loops.main.feedback]
        held    = { effect = "lib:hold", \(held) }
        count   = { effect = "lib:same", args = ["state.n + 1"], when = "state.n < 3", emit = { event = "go", n = "result" } }
        release = { effect = "lib:release", when = "state.n == 3" }

        """
    }

    /// The digits of the events that came of it, in order.
    private func outcome(_ held: String) async throws -> String {
        let run = RecordedRun()
        _ = try await run.run(Self.holding(held), plugin: CompiledPlugin.feedbacks.get())
        #expect(run.faults == [])
        let log = run.steps.last?.split(separator: "\"log\":\"").last ?? ""
        return String(log.prefix { $0.isNumber })
    }

    @Test(arguments: [
        // The state with 3 ends the run, though the feedback does not run for it.
        ("cancel-on-new-state", ""),
        ("cancel-on-new-match", "2"),
        ("continue-on-new-state", "210"),
        ("skip-while-running", "0"),
        ("queue", "012"),
    ])
    func onStates(_ strategy: String, _ expected: String) async throws {
        let held =
            #"args = ["state.n"], trigger = "state", when = "state.n < 3 && state.log == ''", strategy = "\#(strategy)""#
        #expect(try await outcome(held) == expected)
    }

    @Test(arguments: [
        ("queue", "123"), ("skip-while-running", "1"), ("cancel-on-new-match", "3"),
        ("continue-on-new-state", "321"),
    ])
    func onEvents(_ strategy: String, _ expected: String) async throws {
        let held = #"args = ["event.n"], on = "go", strategy = "\#(strategy)""#
        #expect(try await outcome(held) == expected)
    }

    @Test func withoutStrategy_theFirstOfEachHolds() async throws {
        #expect(
            try await outcome(
                #"args = ["state.n"], trigger = "state", when = "state.n < 3 && state.log == ''""#)
                == "")
        #expect(try await outcome(#"args = ["event.n"], on = "go""#) == "123")
        #expect(try await outcome(#"args = ["state.n"], when = "state.n < 3""#) == "")
    }

    @Test func strategies_holdForRunsElsewhere() async throws {
        #expect(try await outcome(#"args = ["event.n"], on = "go", executor = "queue""#) == "123")
    }
}
