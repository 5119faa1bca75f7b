import App
import Diagnostics
import HostLoop
import HostLoopTesting
import Journal
import Manifest
import Records
import Testing
import TestSupport

/// An app that ends at any point of its journal continues from there.
@Suite(.timeLimit(.minutes(10))) struct JournalRunTests {
    /// Counts to 6: each call prints its key and emits the next number.
    private static let counting = """
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        state  = { n = 0, words = ["a"] }
        events = { counted = { n = "int" } }
        until  = "state.n == 6"
        on.counted = { set = { n = "event.n", words = "state.words + [string(event.n)]" } }
        [loops.main.feedback.count]
        effect = "lib:count"
        args   = ["state.n"]

        """

    private static let library = """
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("lib", "1.0");
        SPIN_EMITTER(counted, (int64_t, n));
        static void say_key(spin_call *call) {
            char key[SPIN_RUN_KEY_SIZE];
            spin_run_key(call, key, sizeof key);
            spin_print(key);
        }
        static void count(spin_call *call, int64_t n) {
            say_key(call);
            counted(call, n + 1);
            spin_finish(call);
        }
        SPIN_EFFECT(void, count, (spin_call *call, int64_t n), "Emits `counted`.");
        static void last(spin_call *call) { say_key(call); }
        SPIN_EFFECT(void, last, (spin_call *call), "Lasts.");
        static int64_t next(int64_t n) { return n + 1; }
        SPIN_EFFECT(int64_t, next, (int64_t n), "The next number.");

        """

    @Test func `a recovery says which chunks it reads, from the first one to the last`() async throws {
        let world = try JournalWorld(Self.counting, library: Self.library)
        _ = try await world.run()
        // Before the end, whose snapshot has all.
        let left = world.store.reopened(upTo: UInt64(try world.store.size().chunks - 1))
        let read = Lock<[Chunk]>([])
        let journal = try AppJournal(
            left, of: world.manifest, AppJournal.Host(version: "0", manifest: "app.toml"),
            as: try #require(world.manifest.journal),
            reached: { chunk in read.withLock { $0.append(chunk) } }, reading: { left })
        let chunks = read.withLock { $0 }
        let end = try JournalReader(left).end()
        let last = try #require(end.last?.number)
        // What a feedback has seen may be read again.
        #expect(chunks.prefix(Int(last)).map(\.number) == Array(1...last))
        journal.close()
    }

    private static func key(_ run: String, of feedback: String = "count", in loop: String = "main") -> String
    {
        "\(String(repeating: "a", count: 32))/\(loop)/\(feedback)/\(run)"
    }

    @Test(
        .inThisProcess(
            "the end of a worker's call is a message after its event, so a commit may come between"))
    func `from each point, the app comes to the same end, and no committed result is made again`()
        async throws
    {
        let world = try JournalWorld(Self.counting, library: Self.library)
        let (first, end) = try await world.run()
        #expect(end.outcome == .done)
        #expect(first.lines == (1...7).map { Self.key("\($0)") })
        let whole = try JournalWorld.states(world.store)
        #expect(whole == ["main": #"{"n":6,"words":["a","1","2","3","4","5","6"]}"#])
        let last = try #require(try world.store.last()).number
        #expect(last >= 7)
        for number in 0...last {
            let store = world.store.reopened(upTo: number)
            let before = try JournalReader(store).end().state
            let steps = before.loops.first?.step ?? 0
            let journal = try world.journal(store)
            journal.close()
            if before.loops.first?.end == true {
                #expect(journal.recovery?.end?.step == 6)
                continue
            }
            let (again, end) = try await world.run(store)
            #expect(end.outcome == .done, "\(number)")
            // The results up to the last committed step are there; the next call has the key that it had.
            // Later ones have keys that no process can have used.
            let known = before.loops.first?.hasBegun == true ? steps + 1 : 0
            let keys = (steps + 1...7).map { Self.key(number == 0 || $0 == known ? "\($0)" : "2.\($0)") }
            #expect(again.lines == keys, "\(number)")
            #expect(try JournalWorld.states(store) == whole)
        }
    }

    @Test func `a run that lasts is begun again with its key, or as recover says`() async throws {
        func manifest(_ more: String) -> String {
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state  = { n = 0, unsure = 0 }
            events = { go = {}, unsure = { n = "int" } }
            on.go = { set = { n = "state.n + 1" } }
            on.unsure = { set = { unsure = "event.n" } }
            [loops.main.feedback.lasting]
            effect   = "lib:last"
            emits.counted = []
            on       = "go"
            strategy = "continue-on-new-state"
            \(more)
            [loops.main.feedback.changing]
            effect = "lib:last"
            emits.counted = []
            args   = []
            when   = "state.n > 0"
            \(more)
            """
        }
        let keys = [
            Self.key("1", of: "changing"), Self.key("1", of: "lasting"), Self.key("2", of: "lasting"),
        ]
        for (more, lines, unsure) in [
            ("", keys, 0), (#"recover = "drop""#, [], 0),
            (#"recover = { event = "unsure", n = "state.n + 40" }"#, [], 42),
        ] {
            let world = try JournalWorld(manifest(more), library: Self.library)
            let (record, app) = (RecordedRun(), try world.app(RecordedRun()))
            defer { app.close() }
            let port = AppPort(world.manifest, statesCame: {})
            let run = app.makeRun(observer: record, port: port, journal: try world.journal(world.store))
            run.start()
            await record.steps(1)
            for count in 2...3 {
                _ = try port.send(
                    event: 0, payload: Record(world.manifest.loops[0].events[0].type), toLoop: 0)
                await record.steps(count)
            }
            await waitUntil { run.running.count == 3 }
            // What the host notes when the loop rests is in the journal before the process ends.
            try await waitUntil {
                let past = try JournalReader(world.store.reopened()).end().state.loops.first
                return past?.isDelivered == true && past?.feedbacks.map(\.open.count) == [2, 1]
            }
            let left = world.store.reopened()
            run.stop()
            _ = await run.finished()
            let again = RecordedRun()
            let next = try world.app(again)
            defer { next.close() }
            let second = next.makeRun(observer: again, journal: try world.journal(left))
            second.start()
            if lines.isEmpty {
                if unsure > 0 { await again.until { $0.last?.contains("\"unsure\":\(unsure)") == true } }
            } else {
                await again.lines(3)
            }
            second.stop()
            _ = await second.finished()
            #expect(again.lines.sorted() == lines, "\(more)")
            #expect(try JournalWorld.states(left)["main"] == #"{"n":2,"unsure":\#(unsure)}"#)
        }
    }

    @Test func `the answer of another executor is the end of its run`() async throws {
        let world = try JournalWorld(
            Self.counting.replacing("lib:count", with: "lib:next").replacing("== 6", with: "== 300")
                .replacing(
                    "args   = [\"state.n\"]",
                    with:
                        "args = [\"state.n\"]\nexecutor = \"pool\"\nemit = { event = \"counted\", n = \"result\" }"
                ),
            library: Self.library)
        _ = try await world.run()
        for number in 1...(try #require(try world.store.last()).number) {
            let past = try JournalReader(world.store.reopened(upTo: number)).end().state.loops[0]
            // No end of the journal has the result of a run that is still open.
            #expect(past.feedbacks[0].open.allSatisfy { $0.number > past.step }, "\(number)")
        }
    }

    @Test func `a message that no step has received is delivered first`() async throws {
        let world = try JournalWorld(
            """
            [gears.mail]
            messages = { note = { n = "int" } }
            [loops.sender]
            state  = { n = 0 }
            events = { tick = {} }
            until  = "state.n == 3"
            on.tick = { set = { n = "state.n + 1" } }
            [loops.sender.feedback]
            clock = { effect = "std:every", args = ["1ms"], emit = { event = "tick" } }
            send = { on = "tick", send = { gear = "mail", message = "note", n = "state.n" } }
            [loops.receiver]
            state  = { sum = 0, count = 0 }
            events = { noted = { n = "int" } }
            until  = "state.count == 3"
            receive = { mail.note = { event = "noted", n = "message.n" } }
            on.noted = { set = { sum = "state.sum * 10 + event.n", count = "state.count + 1" } }
            """)
        _ = try await world.run()
        let whole = try JournalWorld.states(world.store)
        #expect(whole["receiver"] == #"{"sum":123,"count":3}"#)
        for number in 1...(try #require(try world.store.last()).number) {
            let store = world.store.reopened(upTo: number)
            let journal = try world.journal(store)
            journal.close()
            guard journal.recovery?.end == nil else { continue }
            _ = try await world.run(store)
            let states = try JournalWorld.states(store)
            #expect(states == whole, "\(number)")
        }
    }

    @Test(arguments: ["every-step", "batched"])
    func `after a write that fails, no effect begins, and the run ends`(_ durability: String) async throws {
        for failing in 1...6 {
            for moment in [MemoryStore.Moment.before, .after] {
                let world = try JournalWorld(
                    Self.counting, library: Self.library,
                    journal: "durable = \"\(durability)\"\ninterval = \"1ms\"")
                world.store.fail(.append, moment, at: failing)
                let record = RecordedRun()
                let app = try world.app(record)
                defer { app.close() }
                let journal = try world.journal(world.store)
                let run = app.makeRun(observer: record, journal: journal)
                run.start()
                let end = await run.finished()
                guard let failure = journal.status.failure else {
                    #expect(durability == "batched" && end.outcome == .done)
                    continue
                }
                #expect(failure.kind == .notDurable)
                let store = world.store.reopened()
                let steps = try JournalReader(store).end().state.loops.first?.step ?? 0
                if durability == "every-step" { #expect(record.lines.count <= Int(steps) + 1) }
                let (_, second) = try await world.run(store)
                #expect(second.outcome == .done)
                #expect(try JournalWorld.states(store)["main"]?.contains(#""n":6"#) == true)
            }
        }
    }

    @Test(arguments: [("wall", true), ("pause", false)])
    func `a delay that began in an earlier process has the time that is left`(
        _ timers: String, countsTheTimeBetween: Bool
    ) async throws {
        let world = try JournalWorld(
            """
            [loops.main]
            initial = "a"
            states  = { a = {}, b = {} }
            until   = "state.case == 'b'"
            after   = { a = { delay = "1h", to = "b" } }
            """, journal: "timers = \"\(timers)\"\ninterval = \"1ms\"")
        let first = try world.app(RecordedRun())
        defer { first.close() }
        let run = first.makeRun(journal: try world.journal(world.store))
        run.start()
        try await waitUntil {
            try JournalReader(world.store.reopened()).end().state.loops.first?.isDelivered == true
        }
        let left = world.store.reopened()
        run.stop()
        _ = await run.finished()
        let (clock, record) = (ManualClock(), RecordedRun())
        let app = try world.app(record, clock: clock)
        defer { app.close() }
        let second = app.makeRun(observer: record, journal: try world.journal(left))
        second.start()
        await waitUntil { clock.timerCount > 0 }
        clock.advance(by: .seconds(3600) - .microseconds(1))
        if !countsTheTimeBetween {
            #expect(record.steps.count == 1)
            clock.advance(by: .microseconds(1))
        }
        #expect(await second.finished().outcome == .done)
        #expect(record.steps.last == #"after:a{"delay":"3600s"} {"case":"b"}"#)
    }

    @Test func `a changed manifest keeps what it can, and refuses what it cannot`() async throws {
        let world = try JournalWorld(Self.counting, library: Self.library)
        _ = try await world.run()
        // A slow thread has several entries in one chunk.
        var (left, chunks) = (world.store.reopened(upTo: 1), UInt64(1))
        while try JournalReader(left).end().state.loops.first.map({ $0.step < 2 }) ?? true {
            chunks += 1
            left = world.store.reopened(upTo: chunks)
        }
        func next(_ state: String) throws -> JournalWorld {
            try JournalWorld(
                Self.counting.replacing(#"{ n = 0, words = ["a"] }"#, with: state).replacing(
                    #", words = "state.words + [string(event.n)]""#, with: ""), library: Self.library)
        }
        let wider = try next(#"{ n = 0, more = "new" }"#)
        let (record, end) = try await wider.run(left.reopened())
        #expect(end.outcome == .done)
        let steps = try JournalReader(left).end().state.loops[0].step
        #expect(steps > 1)
        #expect(record.steps.first == #"{"n":\#(steps),"more":"new"}"#)
        let other = try JournalWorld("[loops.main]\nstate = { n = 'x' }\n")
        let refusal = #expect(throws: AppRefusal.self) { _ = try other.journal(left) }
        #expect(
            refusal?.diagnostics.map(\.message) == [
                "loop `main` cannot keep its state: its field `n` was `i64`, and is `string`"
            ])
    }
}
