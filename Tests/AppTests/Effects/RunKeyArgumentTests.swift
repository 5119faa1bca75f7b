import App
import HostLoop
import Manifest
import TestSupport
import Testing

/// `run.key` in `args`: the key that `spin_run_key` gives to the same run.
@Suite(.timeLimit(.minutes(10))) struct RunKeyArgumentTests {
    /// Effects that emit the key of their run, and the one that they were given. `ask` fails before the attempt
    /// `until`, and `stay` lasts.
    private static func library(version: Int = 1) -> String {
        """
        #include <spinhost/plugin.h>
        #include <stdlib.h>
        #include <string.h>
        SPIN_PLUGIN("keys", "\(version)");
        SPIN_EMITTER(told, (const char *, own), (const char *, given), (uint32_t, attempt));
        static void tell(spin_call *call, const char *given) {
            char own[SPIN_RUN_KEY_SIZE];
            if (spin_run_key(call, own, sizeof own) == SPIN_OK)
                told(call, own, given, spin_run_attempt(call));
        }
        static void ask(spin_call *call, const char *given, uint32_t until) {
            tell(call, given);
            if (spin_run_attempt(call) < until)
                spin_fail(call, -7, "again");
            else
                spin_finish(call);
        }
        SPIN_EFFECT(void, ask, (spin_call *call, const char *given, uint32_t until), "Emits `told`.");
        static int32_t make(void) { return 1; }
        SPIN_EFFECT(int32_t, make, (void), "Does nothing.");
        static int32_t length(const char *text) { return (int32_t)strlen(text); }
        SPIN_EFFECT(int32_t, length, (const char *text), "Counts bytes.");
        struct spin_self { int nothing; };
        static spin_self *create(spin_call *call, const spin_config *config) {
            (void)call, (void)config;
            return calloc(1, sizeof(spin_self));
        }
        static void destroy(spin_self *self) { free(self); }
        SPIN_INSTANCE(create, destroy);
        static void stay(spin_call *call, spin_self *self, const char *given) { (void)self, tell(call, given); }
        SPIN_EFFECT(void, stay, (spin_call *call, spin_self *self, const char *given), "Emits `told`, and lasts.");

        """
    }

    /// A loop that counts in `n` up to `last`, and logs what `told` says.
    private static func manifest(
        until: String = "false", last: Int = 0, plugin: String = "", states: String = "", more: String = "",
        _ feedbacks: String
    ) -> String {
        """
        [plugins.keys]
        library = "./lib.so"
        \(plugin)
        [loops.main]
        \(states.isEmpty ? #"state = { n = 0, log = "" }"# : states)
        events = { told = { own = "string", given = "string", attempt = "u32" }, counted = {}, tried = { n = "int" } }
        until  = "\(until)"
        \(more)
        [loops.main.on]
        told    = { set = { log = "state.log + event.own + ' ' + event.given + ' ' + string(event.attempt) + ';'" } }
        counted = { set = { n = "state.n + 1" } }
        tried   = { set = { log = "state.log + string(event.n)" } }
        [loops.main.feedback]
        count = { effect = "keys:make", trigger = "state", when = "state.n < \(last)", emit = { event = "counted" } }
        \(feedbacks)

        """
    }

    /// What a loop logged: the key of the run, the argument, and the attempt.
    private struct Told: Equatable {
        let own: String
        let given: String
        let attempt: Int

        /// The number of the run.
        var number: Substring? { own.split(separator: "/").last }
    }

    private func told(_ record: RecordedRun) throws -> [Told] {
        let log = try #require(record.steps.last?.split(separator: #""log":""#).last)
        return try log.split(separator: "\"")[0].split(separator: ";").map { line in
            let words = line.split(separator: " ", maxSplits: 2)
            return Told(own: String(words[0]), given: String(words[1]), attempt: try #require(Int(words[2])))
        }
    }

    private func run(_ manifest: String) async throws -> [Told] {
        let record = RecordedRun()
        _ = try await record.run(manifest, library: Self.library())
        #expect(record.faults == [])
        return try told(record)
    }

    @Test(arguments: ["executor = \"loop\"", "executor = \"pool\"", "delay = \"1ms\"", "debounce = \"1ms\""])
    func theArgument_isTheKeyThatTheServiceGives_alsoInARetry(_ keys: String) async throws {
        let told = try await run(
            Self.manifest(#"pay = { effect = "keys:ask", args = ["run.key", 3], retry = 5, \#(keys) }"#))
        #expect(told.map(\.attempt) == [1, 2, 3])
        #expect(told.allSatisfy { $0.own == $0.given } && Set(told.map(\.own)).count == 1)
        let parts = told[0].given.split(separator: "/")
        #expect(parts.dropFirst() == ["main", "pay", "1"] && parts[0].count == 32)
    }

    @Test(
        .inThisProcess("the next state may cancel a run before a worker makes its call"),
        arguments: [
            "trigger = \"state\", when = \"state.n < 3\"", "on = \"counted\"",
            "trigger = { each = \"[1, 2, 3]\" }",
        ])
    func eachRun_isGivenItsOwnKey(_ trigger: String) async throws {
        let told = try await run(
            Self.manifest(last: 3, #"pay = { effect = "keys:ask", args = ["run.key", 1], \#(trigger) }"#))
        #expect(told.count >= 2)
        #expect(told.allSatisfy { $0.own == $0.given })
        #expect(Set(told.map(\.own)).count == told.count)
    }

    @Test func anotherKeyAlone_startsNoRun() async throws {
        let told = try await run(
            Self.manifest(
                last: 5,
                #"""
                change = { effect = "keys:ask", args = ["run.key", 1] }
                longer = { effect = "keys:ask", args = ["'a' + run.key", 1], executor = "pool" }
                each   = { effect = "keys:ask", args = ["run.key + ''", 1], trigger = { each = "[7]" } }
                """#))
        #expect(
            told.map { "\($0.own.split(separator: "/")[2]) \($0.number ?? "")" }.sorted() == [
                "change 1", "each 1", "longer 1",
            ])
        #expect(told.allSatisfy { $0.given.hasSuffix($0.own) })
    }

    @Test(arguments: ["", "trigger = { each = \"[7]\" },"])
    func argumentsWithAKey_areComparedByTheRest(_ trigger: String) async throws {
        let told = try await run(
            Self.manifest(
                last: 5,
                #"""
                pay = { effect = "keys:ask", \#(trigger) args = ["run.key + (state.n < 3 ? '/a' : '/b')", 1] }
                """#))
        #expect(told.map(\.number) == ["1", "2"])
        #expect(told.map { $0.given.replacing($0.own, with: "KEY") } == ["KEY/a", "KEY/b"])
    }

    @Test func anotherArgument_startsARunWithAnotherKey() async throws {
        let told = try await run(
            Self.manifest(
                last: 2, #"pay = { effect = "keys:ask", args = ["run.key", "uint(state.n) / 2u"] }"#))
        #expect(told.map(\.number) == ["1", "2"] && told.allSatisfy { $0.own == $0.given })
    }

    @Test(.inThisProcess("the next state may cancel a run before a worker makes its call"))
    func inCases_theKeyIsThatOfTheRun() async throws {
        let told = try await run(
            Self.manifest(
                states: #"""
                    initial = "one"
                    shared  = { n = 0, log = "" }
                    states  = { one = { a = "x" }, two = { b = 1, a = "y" } }
                    """#,
                more: #"after.one = { delay = "1ms", to = "two", set = { a = "'y'" } }"#,
                #"pay = { effect = "keys:ask", in = ["one", "two"], args = ["run.key + state.a", 1] }"#))
        #expect(told.map { $0.given.replacing($0.own, with: "KEY ") } == ["KEY x", "KEY y"])
        #expect(Set(told.map(\.own)).count == 2)
    }

    @Test func anEffectThatReturns_getsTheKeyToo() async throws {
        let record = RecordedRun()
        _ = try await record.run(
            Self.manifest(
                #"""
                size = { effect = "keys:length", args = ["run.key"], emit = { event = "tried", n = "result" } }
                """#), library: Self.library())
        // 32 digits, and `/main/size/1`.
        #expect(record.steps.last == #"tried{"n":44} {"n":0,"log":"44"}"#)
    }

    @Test func aFaultOfTheArgument_failsTheRun() async throws {
        let record = RecordedRun()
        _ = try await record.run(
            Self.manifest(
                #"pay = { effect = "keys:ask", args = ["run.key.split('/')[4]", 1] }"#),
            library: Self.library())
        #expect(record.faults.count == 1)
        #expect(record.faults.first?.contains("index") == true, "\(record.faults)")
    }

    @Test func callbacks_readTheKeyOfTheirRun() async throws {
        let record = RecordedRun()
        _ = try await record.run(
            #"""
            [plugins.lib]
            library  = "./lib.so"
            declares = "int twice(const char *key, int (*visit)(const char *key));"
            [loops.main]
            state  = { n = 0 }
            events = { done = { n = "int" } }
            on     = { done = { set = { n = "event.n" } } }
            feedback.call = { effect = "lib:twice", args = ["run.key", { callback = "value.key == run.key ? 7 : 8" }], emit = { event = "done", n = "result" } }

            """#,
            library:
                "int twice(const char *key, int (*visit)(const char *key)) { return visit(key) + visit(\"\"); }"
        )
        #expect(record.faults == [])
        #expect(record.steps.last == #"done{"n":15} {"n":15}"#)
    }

    @Test(arguments: ["", "instance = \"app\""])
    func callsThatASwapMakesAgain_areGivenTheSameKey(plugin: String) async throws {
        let world = try SwapWorld(
            Self.manifest(
                until: "size(state.log.split(';')) == 3", plugin: plugin,
                #"stay = { effect = "keys:stay", args = ["run.key"] }"#), Self.library())
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        try world.build(Self.library(version: 2))
        try await world.swap("keys", in: run)
        #expect(await run.finished().outcome == .done)
        let told = try told(world.record)
        #expect(told.map(\.attempt) == [1, 2])
        #expect(told.allSatisfy { $0.own == $0.given } && Set(told.map(\.own)).count == 1)
    }

    @Test func theRunContinues_inAnAppThatFollows() async throws {
        func manifest(last: Int) -> String {
            Self.manifest(
                until: "state.n > 2 && state.log.contains('/count')", last: last,
                #"""
                stay  = { effect = "keys:stay", args = ["run.key"] }
                count2 = { effect = "keys:ask", args = ["'/count'", 1], when = "state.n > 2" }
                """#)
        }
        let world = try SwapWorld(manifest(last: 0), Self.library())
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        let follower = try await world.handOver(run, to: manifest(last: 3)).get()
        defer { follower.app.close() }
        #expect(await follower.run.finished().outcome == .done)
        let told = try told(world.record)
        #expect(
            told.map { $0.own.split(separator: "/")[1...].joined(separator: "/") } == [
                "main/stay/1", "main/count2/1",
            ])
    }

    @Test func tests_readAKey() throws {
        let folder = try TemporaryFolder()
        let manifest = try RecordedRun.manifest(
            Self.manifest(
                #"pay = { effect = "keys:length", args = ["run.key"], emit = { event = "tried", n = "result" } }"#
            )
                + """
                [[tests]]
                name    = "paid"
                effects = { pay = 5 }
                expect  = { log = "5" }

                """, library: Self.library(), in: folder)
        let outcome = manifest.tests[0].run(in: manifest)
        #expect(outcome.differences.isEmpty && outcome.entries.count == 1)
    }
}
