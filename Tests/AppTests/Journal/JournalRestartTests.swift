import App
import HostLoop
import HostLoopTesting
import Journal
import Manifest
import Records
import Testing
import TestSupport

/// What the feedbacks of a loop do when another process continues its journal.
@Suite(.timeLimit(.minutes(10))) struct JournalRestartTests {
    private static let library = """
        #include <stdio.h>
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("lib", "1.0");
        SPIN_EMITTER(done, (int64_t, n));
        static void say(spin_call *call, int64_t n) {
            char key[SPIN_RUN_KEY_SIZE];
            char line[SPIN_RUN_KEY_SIZE + 40];
            spin_run_key(call, key, sizeof key);
            snprintf(line, sizeof line, "%s %d %u", key, (int)n, (unsigned)spin_run_attempt(call));
            spin_print(line);
        }
        static void pay(spin_call *call, int64_t n) {
            say(call, n);
            done(call, n);
            spin_finish(call);
        }
        SPIN_EFFECT(void, pay, (spin_call *call, int64_t n), "Says its key, and emits `done`.");
        static void hold(spin_call *call, int64_t n) { say(call, n); }
        SPIN_EFFECT(void, hold, (spin_call *call, int64_t n), "Says its key, and lasts.");
        static void try_again(spin_call *call, int64_t n) {
            say(call, n);
            if (spin_run_attempt(call) <= n) spin_fail(call, -7, "again");
        }
        SPIN_EFFECT(void, try_again, (spin_call *call, int64_t n), "Fails so many times, and then lasts.");

        """

    private static func key(_ run: String) -> String { "\(String(repeating: "a", count: 32))/main/\(run)" }

    // MARK: - Each

    private static func each(_ handling: String, until: String) -> String {
        """
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        state  = { items = [1, 2, 3], sum = 0 }
        events = { done = { n = "int" } }
        until  = "\(until)"
        on.done = { set = { \(handling), sum = "state.sum + event.n" } }
        [loops.main.feedback.each]
        effect  = "lib:pay"
        args    = ["item"]
        trigger = { each = "state.items" }

        """
    }

    @Test func `from each point, an item that is left has one run, with a key of its own`() async throws {
        let world = try JournalWorld(
            Self.each(
                #"items = "state.items.filter(i, i != event.n)""#, until: "size(state.items) == 0"),
            library: Self.library)
        let (first, end) = try await world.run()
        #expect(end.outcome == .done)
        #expect(first.lines == (1...3).map { "\(Self.key("each/\($0)")) \($0) 1" })
        for number in 1...(try #require(try world.store.last()).number) {
            let store = world.store.reopened(upTo: number)
            let past = try JournalReader(store).end().state.loops[0]
            guard past.end != true else { continue }
            // The epoch is durable before the loop begins.
            let left = past.hasBegun ? past.state.value["items"]?.json : "[1,2,3]"
            let (next, end) = try await world.run(store)
            #expect(end.outcome == .done)
            let items = next.lines.map { $0.split(separator: " ")[1] }
            #expect("[\(items.joined(separator: ","))]" == left, "\(number)")
            let keys = (first.lines + next.lines).map { $0.split(separator: " ")[0] }
            #expect(Set(keys).count == keys.count, "\(number): \(keys)")
            #expect(try JournalWorld.states(store) == ["main": #"{"items":[],"sum":6}"#])
        }
    }

    @Test func `an item whose run had ended has another one in the next process`() async throws {
        let world = try JournalWorld(
            Self.each(#"items = "state.items""#, until: "state.sum >= 12"), library: Self.library)
        let first = try JournalProcess(world, world.store)
        await first.record.steps(4)
        try await JournalProcess.isKnown([0], in: world.store)
        let left = await first.killed(world.store)
        let (next, end) = try await world.run(left)
        #expect(end.outcome == .done)
        #expect(next.lines == (1...3).map { "\(Self.key("each/2.\($0 + 3)")) \($0) 1" })
    }

    // MARK: - Delays, debounce, retry

    @Test(arguments: [
        ("delay", "args = [0]", "1"), ("debounce", "args = [0]", "1"),
        ("delay", "args = [0]\ntrigger = \"state\"", "1"), ("delay", "args = [0]\non = \"go\"", "1"),
    ])
    func `the wait before a run begins anew, and the run keeps its key`(
        _ kind: String, _ more: String, _ number: String
    ) async throws {
        let world = try JournalWorld(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state  = { n = 0 }
            events = { go = {} }
            on.go  = { set = { n = "state.n + 1" } }
            [loops.main.feedback.late]
            effect     = "lib:hold"
            emits.done = []
            \(kind)    = "10s"
            \(more)

            """, library: Self.library)
        let first = try JournalProcess(world, world.store)
        await first.record.steps(1)
        if more.contains("go") {
            let payload = Record(world.manifest.loops[0].events[0].type)
            _ = try first.port.send(event: 0, payload: payload, toLoop: 0)
        }
        await waitUntil { first.clock.timerCount == 1 }
        first.clock.advance(by: .seconds(9))
        try await JournalProcess.isKnown([1], in: world.store)
        let left = await first.killed(world.store)
        #expect(first.record.lines == [])
        let second = try JournalProcess(world, left)
        await waitUntil { second.clock.timerCount == 1 }
        second.clock.advance(by: .seconds(10) - .microseconds(1))
        #expect(second.clock.timerCount == 1)
        second.clock.advance(by: .microseconds(1))
        await second.record.lines(1)
        _ = await second.killed(left)
        #expect(second.record.lines == ["\(Self.key("late/\(number)")) 0 1"])
    }

    @Test func `attempts are counted anew, under the key of the run`() async throws {
        let world = try JournalWorld(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state = { n = 0 }
            events = { failed = {} }
            on.failed = {}
            [loops.main.feedback.ask]
            effect     = "lib:try_again"
            args       = [2]
            retry      = 2
            emits.done = []
            on-error   = { event = "failed" }

            """, library: Self.library)
        var store = world.store
        for _ in 1...3 {
            let process = try JournalProcess(world, store)
            await process.record.lines(3)
            try await JournalProcess.isKnown([1], in: store)
            store = await process.killed(store)
            #expect(process.record.lines == (1...3).map { "\(Self.key("ask/1")) 2 \($0)" })
            #expect(process.record.steps == [#"{"n":0}"#])
        }
    }

    // MARK: - Instances

    @Test func `an instance takes its state over after an orderly end only`() async throws {
        let world = try JournalWorld(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state  = { n = 0 }
            events = { counted = { n = "int" } }
            on.counted = { set = { n = "event.n" } }
            [loops.main.feedback.count]
            effect  = "lib:count"
            trigger = "state"
            when    = "state.n < 3"
            emit    = { event = "counted", n = "result" }

            """,
            library: """
                #include <stdlib.h>
                #include <spinhost/plugin.h>
                SPIN_PLUGIN("lib", "1.0");
                struct spin_self { int64_t count; };
                static spin_self *create(spin_call *call, const spin_config *config) {
                    (void)call, (void)config;
                    spin_print("create");
                    return calloc(1, sizeof(spin_self));
                }
                static void destroy(spin_self *self) { free(self); }
                SPIN_INSTANCE(create, destroy);
                static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
                    (void)call;
                    spin_print("save");
                    return spin_write(saving, &self->count, sizeof self->count);
                }
                static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
                    (void)call;
                    spin_print("restore");
                    self->count = *(const int64_t *)saved->data;
                    return SPIN_OK;
                }
                SPIN_SWAP(save, restore, 1);
                static int64_t count(spin_self *self) { return ++self->count; }
                SPIN_EFFECT(int64_t, count, (spin_self *self), "Counts its calls.");

                """)
        let (first, _) = try await world.run()
        #expect(first.lines == ["create", "save"])
        #expect(first.steps.last == #"counted{"n":3} {"n":3}"#)
        let orderly = world.store.reopened()
        let (second, _) = try await world.run(orderly)
        #expect(second.lines == ["create", "restore", "save"])
        #expect(second.steps == [#"{"n":3}"#])
        // The process ended after its first call.
        let last = try #require(try world.store.last()).number
        let number = try #require(
            try (1...last).first {
                try JournalReader(world.store.reopened(upTo: $0)).end().state.loops[0].step == 1
            })
        let (third, _) = try await world.run(world.store.reopened(upTo: number))
        #expect(third.lines == ["create", "save"])
        #expect(third.steps.dropFirst().first == #"counted{"n":1} {"n":1}"#)
    }
}
