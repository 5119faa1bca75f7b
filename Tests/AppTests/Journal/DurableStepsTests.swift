import App
import HostLoop
import Journal
import Manifest
import Records
import Testing
import TestSupport

/// With `durable = "every-step"`, events that wait become steps that are durable together, before their effects.
@Suite(.timeLimit(.minutes(10))) struct DurableStepsTests {
    /// One run emits five payments at once; an effect pays each, and prints its key.
    private static let payments = """
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        state  = { n = 0, at = { type = "timestamp", initial = 2026-01-01T00:00:00Z }, last = 0 }
        events = { go = {}, payment = { n = "int" } }
        until  = "state.n == 5"
        on.go      = { set = { last = "-1" } }
        on.payment = { set = { n = "state.n + 1", last = "event.n", at = "now" } }
        [loops.main.feedback.begin]
        effect = "lib:begin"
        args   = []
        [loops.main.feedback.burst]
        effect   = "lib:burst"
        on       = "go"
        strategy = "continue-on-new-state"
        [loops.main.feedback.pay]
        effect   = "lib:pay"
        args     = ["event.n", "state.n"]
        on       = "payment"
        strategy = "continue-on-new-state"

        """

    private static let library = """
        #include <stdio.h>
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("lib", "1.0");
        SPIN_EMITTER(go);
        SPIN_EMITTER(payment, (int64_t, n));
        static void begin(spin_call *call) { go(call); spin_finish(call); }
        SPIN_EFFECT(void, begin, (spin_call *call), "Emits `go`.");
        static void burst(spin_call *call) {
            for (int64_t n = 10; n <= 50; n += 10) payment(call, n);
            spin_finish(call);
        }
        SPIN_EFFECT(void, burst, (spin_call *call), "Emits five payments.");
        static void pay(spin_call *call, int64_t n, int64_t count) {
            char key[SPIN_RUN_KEY_SIZE];
            char line[SPIN_RUN_KEY_SIZE + 40];
            // A call that a stop has ended has no key, and so pays nothing.
            if (spin_run_key(call, key, sizeof key) != SPIN_OK) return;
            snprintf(line, sizeof line, "%s pays %d as the %d.", key, (int)n, (int)count);
            spin_print(line);
            spin_finish(call);
        }
        SPIN_EFFECT(void, pay, (spin_call *call, int64_t n, int64_t count), "Pays.");

        """

    private static let paid = (1...5).map { number in
        "\(String(repeating: "a", count: 32))/main/pay/\(number) pays \(number * 10) as the \(number)."
    }

    private static func count(_ store: MemoryStore) throws -> UInt64 { try store.last()?.number ?? 0 }

    private static func isComplete(_ store: MemoryStore) throws -> Bool {
        let state = try JournalReader(store).end().state
        return state.loops.first?.state.value.json.contains(#""n":5"#) == true
    }

    @Test(.inThisProcess("the events of a call in a worker come one by one, while the loop goes on"))
    func `steps that wait are committed together, and each of their effects begins once`() async throws {
        let world = try JournalWorld(Self.payments, library: Self.library)
        let (record, end) = try await world.run()
        #expect(end.outcome == .done)
        #expect(record.lines == Self.paid)
        var steps: [UInt64: Int] = [:]
        var chunk: UInt64 = 0
        for number in 1...(try Self.count(world.store)) {
            chunk = number
            let (before, after) = (
                try JournalReader(world.store.reopened(upTo: number - 1)).end().state,
                try JournalReader(world.store.reopened(upTo: number)).end().state
            )
            steps[chunk] = Int((after.loops.first?.step ?? 0) - (before.loops.first?.step ?? 0))
        }
        #expect(steps.values.contains(5), "\(steps)")
    }

    @Test(.inThisProcess("the events of a call in a worker come one by one, while the loop goes on"))
    func `after any commit, each payment is made with its own key`()
        async throws
    {
        let world = try JournalWorld(Self.payments, library: Self.library)
        let (_, end) = try await world.run()
        #expect(end.outcome == .done)
        var again = 0
        for number in 1...(try Self.count(world.store)) {
            let store = world.store.reopened(upTo: number)
            let wasComplete = try Self.isComplete(store)
            guard try JournalReader(store).end().state.loops.first?.end != true else { continue }
            let (second, end) = try await world.run(store)
            #expect(end.outcome == .done)
            // Before the five steps are committed, their runs have keys of the second process.
            guard wasComplete else { continue }
            #expect(second.lines == Self.paid || second.lines.isEmpty)
            if !second.lines.isEmpty { again += 1 }
        }
        #expect(again > 0)
    }

    @Test(.inThisProcess("the events of a call in a worker come one by one, while the loop goes on"))
    func `each payment is made with its own key, also when the state has another field since`()
        async throws
    {
        let world = try JournalWorld(Self.payments, library: Self.library)
        let (_, end) = try await world.run()
        #expect(end.outcome == .done)
        let wider = try JournalWorld(
            Self.payments.replacing("state  = { n = 0,", with: "state  = { more = 7, n = 0,"),
            library: Self.library)
        var again = 0
        for number in 1...(try Self.count(world.store)) {
            let store = world.store.reopened(upTo: number)
            guard try Self.isComplete(store), try JournalReader(store).end().state.loops.first?.end != true
            else { continue }
            let (next, end) = try await wider.run(store)
            #expect(end.outcome == .done)
            #expect(next.lines == Self.paid || next.lines.isEmpty)
            if !next.lines.isEmpty { again += 1 }
        }
        #expect(again > 0)
    }

    @Test(.inThisProcess("the events of a call in a worker come one by one, while the loop goes on"))
    func `a stop between the deliveries leaves the effects of the others to the next processes`()
        async throws
    {
        // The stop may come too late for one run.
        var found: (world: JournalWorld, paid: Int)?
        while found == nil {
            let world = try JournalWorld(Self.payments, library: Self.library)
            let lines = try await Self.run(world, stoppingAt: 2)
            #expect(lines == Array(Self.paid.prefix(lines.count)))
            if lines.count < 5 { found = (world, lines.count) }
        }
        let (world, paid) = try #require(found)
        let left = try JournalReader(world.store).end().state.loops[0]
        #expect(left.step == 6)
        #expect(left.state.value.json.contains(#""n":5"#))
        for number in 1...(try Self.count(world.store))
        where try Self.isComplete(world.store.reopened(upTo: number)) {
            // The process before may have ended with any of its commits. What it noted is not done again.
            let (next, end) = try await world.run(world.store.reopened(upTo: number))
            #expect(end.outcome == .done)
            #expect(next.lines == Self.paid.suffix(next.lines.count))
            #expect((5 - paid...5).contains(next.lines.count))
            // The stop may have come before the end of the last payment was noted. It is made again, with its key.
            if number == (try Self.count(world.store)) { #expect(next.lines.count <= 6 - paid) }
        }
    }

    /// Runs, and stops at the step of a payment.
    ///
    /// - Returns: what was printed.
    private static func run(_ world: JournalWorld, stoppingAt number: Int) async throws -> [String] {
        let record = RecordedRun()
        let app = try world.app(record)
        defer { app.close() }
        let observer = Stopping(at: number)
        let run = app.makeRun(observer: observer, journal: try world.journal(world.store))
        observer.run.withLock { $0 = run }
        run.start()
        _ = await run.finished()
        observer.run.withLock { $0 = nil }
        return record.lines
    }

    private final class Stopping: AppObserver {
        let run = Lock<AppRun?>(nil)
        private let number: Int64

        init(at number: Int) { self.number = Int64(number) }

        func started(loop: String, key: LoopKey?, step: UInt64, state: Record) {}
        func faulted(_ fault: AppFault) { Issue.record("\(fault)") }
        func stepped(_ step: AppStep) {
            guard step.after.value["n"] == .int(number), let run = run.withLock({ $0 }) else { return }
            run.stop()
        }
    }

    /// The event of one run makes a state that ends the other run, whose event must never be reduced.
    @Test(
        .inThisProcess("the events of two calls in a worker do not wait together"),
        arguments: ["off", "batched", "every-step"])
    func `an event that a new state withdraws is not reduced ahead`(_ durability: String) async throws {
        let world = try JournalWorld(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state  = { n = 0 }
            events = { number = { n = "int" } }
            until  = "state.n > 4"
            on.number = { set = { n = "event.n" } }
            [loops.main.feedback.one]
            effect = "lib:add"
            args   = ["state.n", "1"]
            [loops.main.feedback.ten]
            effect = "lib:add"
            args   = ["state.n", "10"]

            """,
            library: """
                #include <spinhost/plugin.h>
                SPIN_PLUGIN("lib", "1.0");
                SPIN_EMITTER(number, (int64_t, n));
                /* The run lasts until another state ends it. */
                static void add(spin_call *call, int64_t n, int64_t more) { number(call, n + more); }
                SPIN_EFFECT(void, add, (spin_call *call, int64_t n, int64_t more), "Emits the sum.");

                """, journal: "durable = \"\(durability)\"")
        let (record, end) = try await world.run()
        #expect(end.outcome == .done)
        // The new run of `ten` has its event where the withdrawn one was.
        #expect(
            record.steps == [#"{"n":0}"#, #"number{"n":1} {"n":1}"#, #"number{"n":11} {"n":11}"#])
    }

    @Test func `the time of each step is the one that its reducer read`() async throws {
        let world = try JournalWorld(Self.payments, library: Self.library)
        let times = Times()
        let app = try world.app(RecordedRun())
        defer { app.close() }
        let run = app.makeRun(observer: times, journal: try world.journal(world.store))
        run.start()
        #expect(await run.finished().outcome == .done)
        let steps = times.steps.withLock { $0 }
        #expect(steps.map(\.step) == Array(1...6))
        for step in steps.dropFirst() { #expect(step.now == step.read) }
    }

    private final class Times: AppObserver {
        let steps = Lock<[(step: UInt64, now: Value?, read: Value?)]>([])

        func started(loop: String, key: LoopKey?, step: UInt64, state: Record) {}
        func faulted(_ fault: AppFault) { Issue.record("\(fault)") }
        func stepped(_ step: AppStep) {
            steps.withLock {
                $0.append((step.index, step.now.map { .timestamp($0) }, step.after.value["at"]))
            }
        }
    }
}
