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

    /// Two emitters of a plugin's thread say the numbers from 1 to 1000, each with a text of its own size.
    private static func counting(capacity: Int) -> String {
        """
        [plugins.source]
        library = "./lib.so"
        [loops.main]
        state   = { n = 0, wrong = 0 }
        events  = { odd = { n = "int", text = "string" }, even = { n = "int", text = "string" } }
        until   = "state.n == 1000"
        mailbox = { capacity = \(capacity) }
        [loops.main.on]
        odd.set  = { n = "state.n + 1", wrong = "state.wrong + (event.text.size() == event.n ? 0 : 1)" }
        [loops.main.on.even]
        let.size = "event.n % 10 == 0 ? 5000 : event.n"
        set      = { n = "state.n + 1", wrong = "state.wrong + (event.text.size() == size ? 0 : 1)" }
        [loops.main.feedback.source]
        effect = "source:load"
        [loops.main.feedback.print]
        effect = "std:print"
        when   = "state.n == 1000"
        args   = ["string(state.wrong)"]

        """
    }

    private static let source = """
        #include <spinhost/plugin.h>
        #include <pthread.h>
        #include <string.h>
        SPIN_PLUGIN("source", "1.0.0");
        SPIN_EMITTER(odd, (int64_t, n), (const char *, text));
        SPIN_EMITTER(even, (int64_t, n), (const char *, text));
        static void *work(void *context) {
            static char text[8192];
            for (int64_t n = 1; n <= 1000; n++) {
                // Every tenth text is too large for its memory to be used again.
                size_t size = n % 10 ? (size_t)n : 5000;
                memset(text, 'a' + (int)(n % 26), size);
                text[size] = 0;
                if (n % 2)
                    spin_wait_odd(context, n, text, SPIN_FOREVER);
                else
                    spin_wait_even(context, n, text, SPIN_FOREVER);
            }
            spin_finish(context);
            return NULL;
        }
        \(ThreadedEffect.load(by: "work"))
        SPIN_EFFECT(void, load, (spin_call *call), "");

        """

    @Test(arguments: [1, 40, 4096])
    func eventsOfAnotherThread_haveTheirOwnValues(capacity: Int) async throws {
        let run = RecordedRun()
        let app = try run.app(Self.counting(capacity: capacity), library: Self.source)
        defer { app.close() }
        let end = await app.start().end()
        #expect(end.outcome == .done)
        #expect(run.lines == ["0"])
    }

    @Test func keptEventsOfAnotherThread_doNotChange() async throws {
        let keeper = Keeper()
        let app = try RecordedRun().app(Self.counting(capacity: 40), library: Self.source)
        defer { app.close() }
        #expect(await app.start(observer: keeper).end().outcome == .done)
        #expect(keeper.steps.count == 1000)
        for (index, step) in keeper.steps.enumerated() {
            let number = index + 1
            let letter = Character(Unicode.Scalar(UInt8(97 + number % 26)))
            #expect(step.payload["n"] == .int(Int64(number)))
            let text = String(repeating: letter, count: number % 10 == 0 ? 5000 : number)
            #expect(step.payload["text"] == .string(text))
        }
    }
}
