import App
import HostLoop
import Records
import Testing

/// Events are made in the memory of earlier ones, which nobody must notice.
@Suite(.timeLimit(.minutes(10))) struct EventMemoryTests {
    /// Two feedbacks, one once and the other twice, emit the same event, of which one says `by` and the other `at`.
    private static let manifest = """
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        state  = { n = 0, bare = 0, notes = "" }
        events = { moved = { to = "int", by = "int?", at = "int?", note = "string" } }
        until  = "state.n == 1000"
        [loops.main.on]
        moved.set = { n = "event.to", bare = "state.bare + (event.by == null ? 1 : 0) + (event.at == null ? 1 : 0)", notes = "event.note" }
        [loops.main.feedback.one]
        effect = "lib:after"
        when   = "state.n % 3 == 0"
        args   = ["state.n"]
        emit   = { event = "moved", to = "result", by = "result", note = "string(result)" }
        [loops.main.feedback.other]
        effect = "lib:after"
        when   = "state.n % 3 != 0"
        args   = ["state.n"]
        emit   = { event = "moved", to = "result", at = "result", note = "''" }

        """

    private static let library = """
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("lib", "1.0.0");
        static int64_t after(int64_t n) { return n + 1; }
        SPIN_EFFECT(int64_t, after, (int64_t n), "");

        """

    /// Keeps every step, and so the memory of every event.
    private final class Keeper: AppObserver {
        private let kept = Lock<[AppStep]>([])

        var steps: [AppStep] { kept.withLock { $0 } }

        func stepped(_ step: AppStep) { kept.withLock { $0.append(step) } }
    }

    @Test func fieldsThatAnEmissionDoesNotName_areNotThoseOfAnother() async throws {
        let run = RecordedRun()
        let app = try run.app(
            Self.manifest + """

                [loops.main.feedback.print]
                effect = "std:print"
                when   = "state.n == 1000"
                args   = ["string(state.bare)"]
                """, library: Self.library)
        defer { app.close() }
        let end = await app.start().end()
        #expect(end.outcome == .done)
        #expect(end.counters.steps == 1000)
        #expect(run.lines == ["1000"])
    }

    @Test func keptEvents_doNotChange() async throws {
        let keeper = Keeper()
        let app = try RecordedRun().app(Self.manifest, library: Self.library)
        defer { app.close() }
        #expect(await app.start(observer: keeper).end().outcome == .done)
        #expect(keeper.steps.count == 1000)
        for step in keeper.steps {
            let number = Int64(step.index)
            let isFromOne = number % 3 == 1
            #expect(step.payload["to"] == .int(number))
            #expect(step.payload["by"] == (isFromOne ? .int(number) : .null))
            #expect(step.payload["at"] == (isFromOne ? .null : .int(number)))
            #expect(step.payload["note"] == .string(isFromOne ? "\(number)" : ""))
        }
    }
}
