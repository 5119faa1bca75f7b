import App
import Testing

/// How an app of several loops ends.
@Suite(.timeLimit(.minutes(10)))
struct SeveralLoopsTests {
    /// A loop that counts by one while `when` holds; its event has its name.
    private static func counter(_ name: String, until: String? = nil, when: String = "true") -> String {
        """
        [loops.\(name)]
        state  = { n = 0 }
        events = { \(name) = { n = "int" } }
        \(until.map { "until = \"\($0)\"" } ?? "")
        on     = { \(name) = { set = { n = "event.n" } } }
        [loops.\(name).feedback.step]
        effect = "lib:same"
        when   = "\(when)"
        args   = ["state.n + 1"]
        emit   = { event = "\(name)", n = "result" }

        """
    }

    private func run(_ observer: RecordedRun, _ loops: String...) async throws -> AppEnd {
        let plugin = "[plugins.lib]\nlibrary = \"./lib.so\"\ndeclares = \"long same(long n);\"\n"
        return try await observer.run(
            plugin + loops.joined(), library: "long same(long n) { return n; }")
    }

    private func last(_ name: String, of observer: RecordedRun) -> String? {
        observer.steps.last { $0.hasPrefix("\(name){") }
    }

    @Test func eachLoopEndsForItself_andTheOthersWithTheLastOne() async throws {
        let observer = RecordedRun()
        let end = try await run(
            observer, Self.counter("few", until: "state.n == 3"),
            Self.counter("many", until: "state.n == 2000"),
            Self.counter("endless"))
        #expect(end.outcome == .done)
        #expect(last("few", of: observer) == #"few{"n":3} {"n":3}"#)
        #expect(last("many", of: observer) == #"many{"n":2000} {"n":2000}"#)
        #expect(end.abandoned.isEmpty)
    }

    @Test func aLoopThatReachedItsEnd_doesNotWaitForOneThatIsQuiet() async throws {
        let observer = RecordedRun()
        let end = try await run(
            observer, Self.counter("few", until: "state.n == 3"), Self.counter("quiet", when: "state.n < 5"))
        #expect(end.outcome == .done)
        #expect(last("few", of: observer) == #"few{"n":3} {"n":3}"#)
    }

    @Test func aLoopThatCannotReachItsEnd_isNamed_whenNothingCanHappen() async throws {
        let observer = RecordedRun()
        let end = try await run(
            observer, Self.counter("few", until: "state.n == 3"),
            Self.counter("short", until: "state.n == 9", when: "state.n < 5"))
        #expect(end.outcome == .nothingLeft(unreached: ["short"]))
        #expect(last("short", of: observer) == #"short{"n":5} {"n":5}"#)
    }

    @Test func initialStatesThatAreDone_endTheAppAtOnce() async throws {
        let observer = RecordedRun()
        let end = try await run(
            observer, Self.counter("first", until: "true"), Self.counter("second", until: "state.n == 0"))
        #expect(end.outcome == .done)
        #expect(end.counters.steps == 0)
    }
}
