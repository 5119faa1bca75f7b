import App
import Foundation
import HostLoop
import Journal
import Manifest
import Records
import TestSupport
import Testing

/// Messages of gears, when the host is killed between any two commits.
@Suite(.timeLimit(.minutes(10))) struct JournalMessageTests {
    /// One run emits five numbers at once. Each of them becomes a message.
    private static func numbers(_ more: String = "") -> String {
        """
        [plugins.lib]
        library = "./lib.so"
        [gears.mail]
        messages = { note = { n = "int" } }
        [loops.main]
        state  = { n = 0, begun = false\(more) }
        events = { go = {}, number = { n = "int" } }
        until  = "state.n == 5"
        on.go     = { set = { begun = "true" } }
        on.number = { set = { n = "state.n + 1" } }
        [loops.main.feedback]
        begin = { effect = "lib:begin", args = [] }
        burst = { effect = "lib:burst", on = "go", strategy = "continue-on-new-state" }
        tell  = { on = "number", send = { gear = "mail", message = "note", n = "event.n" } }
        [loops.sink]
        state   = { count = 0, last = 0 }
        events  = { noted = { n = "int" } }
        receive = { mail.note = { event = "noted", n = "message.n" } }
        until   = "state.count == 5"
        on.noted = { set = { count = "state.count + 1", last = "event.n" } }

        """
    }

    private static let burst = """
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("lib", "1.0");
        SPIN_EMITTER(go);
        SPIN_EMITTER(number, (int64_t, n));
        static void begin(spin_call *call) { go(call); spin_finish(call); }
        SPIN_EFFECT(void, begin, (spin_call *call), "Emits `go`.");
        static void burst(spin_call *call) {
            for (int64_t n = 1; n <= 5; n++) number(call, n);
            spin_finish(call);
        }
        SPIN_EFFECT(void, burst, (spin_call *call), "Emits five numbers.");

        """

    /// The numbers of all messages that a journal has, in order.
    private static func sent(_ store: MemoryStore) throws -> [Int64] {
        var numbers: [Int64] = []
        _ = try JournalReader(store).all { placed, _ in
            guard case .sent(_, _, _, _, let payload) = placed.entry, case .int(let n)? = payload.value["n"]
            else { return }
            numbers.append(n)
        }
        return numbers
    }

    /// Has all commits that are possible: it delivers no step before all is committed that was appended so far.
    private final class Committing: AppObserver {
        private let journal: AppJournal

        init(_ journal: AppJournal) { self.journal = journal }

        func started(loop: String, key: LoopKey?, step: UInt64, state: Record) {}
        func faulted(_ fault: AppFault) { Issue.record("\(fault)") }
        func stepped(_ step: AppStep) {
            while journal.status.committed < journal.status.appended { sched_yield() }
        }
    }

    /// Runs to the end with many commits.
    private static func run(_ world: JournalWorld, _ store: MemoryStore) async throws {
        let journal = try world.journal(store)
        let app = try world.app(RecordedRun())
        defer { app.close() }
        let run = app.makeRun(observer: Committing(journal), journal: journal)
        run.start()
        #expect(await run.finished().outcome == .done)
        journal.close()
    }

    @Test(arguments: ["every-step", "batched", "off"])
    func `after any commit, the next process sends the messages that are missing, and no other`(
        _ durability: String
    ) async throws {
        let journal = "durable = \"\(durability)\"\ninterval = \"1ms\""
        let world = try JournalWorld(Self.numbers(), library: Self.burst, journal: journal)
        try await Self.run(world, world.store)
        #expect(try Self.sent(world.store) == [1, 2, 3, 4, 5])
        let wider = try JournalWorld(Self.numbers(", more = 7"), library: Self.burst, journal: journal)
        for number in 1...(try #require(try world.store.last()).number) {
            for (kind, next) in [world, wider].enumerated() {
                let store = world.store.reopened(upTo: number)
                let loops = try JournalReader(store).end().state.loops
                // The burst emits all of its numbers again unless all are reduced.
                guard [nil, .int(0), .int(5)].contains(loops.first?.state.value["n"]),
                    !loops.allSatisfy({ $0.end == true })
                else { continue }
                try await Self.run(next, store)
                let sent = try Self.sent(store)
                #expect(sent == [1, 2, 3, 4, 5], "after chunk \(number), manifest \(kind)")
                #expect(try JournalWorld.states(store)["sink"] == #"{"count":5,"last":5}"#)
            }
        }
    }

    /// `main` writes to `early` at once, and to `late` when the settings say so.
    private static func letters(_ more: Bool) -> String {
        """
        [config]
        more = \(more)
        [gears.mail]
        messages = { hello = {}, more = {} }
        [loops.main]
        state = { n = 0 }
        [loops.main.feedback]
        hello = { when = "!config.more", send = { gear = "mail", message = "hello" } }
        more  = { when = "config.more", send = { gear = "mail", message = "more" } }
        [loops.early]
        state   = { count = 0 }
        events  = { noted = {} }
        receive = { mail.hello = { event = "noted" } }
        until   = "state.count == 1"
        on.noted = { set = { count = "state.count + 1" } }
        [loops.late]
        state   = { count = 0 }
        events  = { noted = {} }
        receive = { mail.more = { event = "noted" } }
        until   = "state.count == 1"
        on.noted = { set = { count = "state.count + 1" } }

        """
    }

    @Test func `a receiver that was over in an earlier process holds up no message`() async throws {
        let first = try JournalWorld(Self.letters(false))
        #expect(try await first.run().1.outcome == .nothingLeft(unreached: ["late"]))
        #expect(try JournalWorld.states(first.store)["early"] == #"{"count":1}"#)
        let store = first.store.reopened(upTo: try #require(try first.store.last()).number)
        #expect(try await JournalWorld(Self.letters(true)).run(store).1.outcome == .done)
        #expect(try JournalWorld.states(store)["late"] == #"{"count":1}"#)
    }

    /// The first run waits for a line in the pipe. Each run sends a message with the number of its state.
    private static func answers(_ pipe: String) -> String {
        """
        [plugins.lib]
        library = "./lib.so"
        [gears.mail]
        messages = { note = { n = "int" } }
        [loops.main]
        state  = { n = 0 }
        events = { go = {} }
        on.go  = { set = { n = "state.n + 1" } }
        [loops.main.feedback.tell]
        effect   = "lib:answer"
        args     = ["state.n", "'\(pipe)'"]
        on       = "go"
        strategy = "continue-on-new-state"
        executor = "pool"
        send     = { gear = "mail", message = "note", n = "result" }
        [loops.sink]
        state   = { first = false, second = false }
        events  = { noted = { n = "int" } }
        receive = { mail.note = { event = "noted", n = "message.n" } }
        until   = "state.first && state.second"
        on.noted = [
            { if = "event.n == 1", set = { first = "true" } },
            { set = { second = "true" } },
        ]

        """
    }

    private static let answer = """
        #include <fcntl.h>
        #include <unistd.h>
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("lib", "1.0");
        static int64_t answer(int64_t n, const char *path) {
            char line = 0;
            int file = n == 1 ? open(path, O_RDONLY) : -1;
            if (n == 1 && read(file, &line, 1) != 1) n = -1;
            if (file >= 0) close(file);
            return n;
        }
        SPIN_EFFECT(int64_t, answer, (int64_t n, const char *path), "Waits as the first one, and returns `n`.");

        """

    /// Lets the run of the first step answer before the feedbacks see the second step, and keeps the journal of then.
    private final class Answering: AppObserver {
        let left = Lock<MemoryStore?>(nil)
        private let pipe: URL
        private let store: MemoryStore

        init(_ pipe: URL, _ store: MemoryStore) { (self.pipe, self.store) = (pipe, store) }

        func started(loop: String, key: LoopKey?, step: UInt64, state: Record) {}
        func faulted(_ fault: AppFault) { Issue.record("\(fault)") }
        func stepped(_ step: AppStep) {
            guard step.loop == "main", step.index == 2 else { return }
            do {
                try Data("\n".utf8).write(to: pipe)
                while try JournalMessageTests.sent(store).isEmpty { sched_yield() }
                left.withLock { $0 = store.reopened() }
            } catch { Issue.record(error) }
        }
    }

    @Test(arguments: ["every-step", "batched"])
    func `a message of an earlier run does not stand for the run of a later step`(_ durability: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let pipe = try folder.pipe("pipe")
        let world = try JournalWorld(
            Self.answers(pipe.path), library: Self.answer, journal: "durable = \"\(durability)\"")
        let app = try world.app(RecordedRun())
        defer { app.close() }
        let (port, observer) = (AppPort(world.manifest, statesCame: {}), Answering(pipe, world.store))
        let run = app.makeRun(observer: observer, port: port, journal: try world.journal(world.store))
        run.start()
        for _ in 0..<2 {
            _ = try port.send(event: 0, payload: Record(world.manifest.loops[0].events[0].type), toLoop: 0)
        }
        await waitUntil { observer.left.withLock { $0 != nil } }
        run.stop()
        _ = await run.finished()
        // No run waits any more.
        try FileManager.default.removeItem(at: pipe)
        try folder.write("pipe", "\n")
        let kept = observer.left.exchange(nil)
        let left = try #require(kept)
        let (_, end) = try await world.run(left)
        #expect(end.outcome == .done)
    }
}
