import App
import HostLoop
import TestSupport
import Testing

/// The keys that an app gives to the runs of its effects.
@Suite(.timeLimit(.minutes(10))) struct RunKeyTests {
    /// An effect that emits its key and its attempt. Before the attempt `until` it fails.
    private static func library(version: Int = 1) -> String {
        """
        #include <spinhost/plugin.h>
        #include <stdlib.h>
        SPIN_PLUGIN("keys", "\(version)");
        SPIN_EMITTER(told, (const char *, key), (uint32_t, attempt));
        static int32_t tell(spin_call *call) {
            char key[SPIN_RUN_KEY_SIZE];
            spin_status status = spin_run_key(call, key, sizeof key);
            return status ? status : told(call, key, spin_run_attempt(call));
        }
        static void ask(spin_call *call, uint32_t until) {
            tell(call);
            if (spin_run_attempt(call) < until)
                spin_fail(call, -7, "again");
            else
                spin_finish(call);
        }
        SPIN_EFFECT(void, ask, (spin_call *call, uint32_t until), "Emits `told`.");
        struct spin_self { int nothing; };
        static spin_self *create(spin_call *call, const spin_config *config) {
            (void)config;
            char key[SPIN_RUN_KEY_SIZE];
            if (spin_run_key(call, key, sizeof key) != SPIN_UNSUPPORTED || spin_run_attempt(call) != 0)
                spin_print("a call of `create` has a key");
            return calloc(1, sizeof(spin_self));
        }
        static void destroy(spin_self *self) { free(self); }
        SPIN_INSTANCE(create, destroy);
        static void stay(spin_call *call, spin_self *self) { (void)self, tell(call); }
        SPIN_EFFECT(void, stay, (spin_call *call, spin_self *self), "Emits `told`, and lasts.");

        """
    }

    private static func manifest(until: String, loop: String = "main", _ feedbacks: String) -> String {
        """
        [plugins.keys]
        library = "./lib.so"
        [loops.\(loop)]
        state  = { n = 0, keys = "" }
        events = { told = { key = "string", attempt = "u32" } }
        until  = "\(until)"
        [loops.\(loop).on]
        told = { set = { n = "state.n + 1", keys = "state.keys + event.key + ' ' + string(event.attempt) + ';'" } }
        [loops.\(loop).feedback]
        \(feedbacks)
        """
    }

    /// The lines that the loop's state has at the end: a key and an attempt each.
    private func told(_ record: RecordedRun) throws -> [(key: String, attempt: Int)] {
        let keys = try #require(record.steps.last?.split(separator: #""keys":""#).last)
        return try keys.split(separator: "\"")[0].split(separator: ";")
            .map { line in
                let words = line.split(separator: " ")
                return (String(words[0]), try #require(Int(words[1])))
            }
    }

    private func run(_ manifest: String) async throws -> [(key: String, attempt: Int)] {
        let record = RecordedRun()
        let end = try await record.run(manifest, library: Self.library())
        #expect(end.outcome == .done)
        #expect(record.lines == [])
        return try told(record)
    }

    @Test(arguments: ["loop", "pool"])
    func callsThatRetryMakesAgain_haveTheKeyOfTheFirst(_ executor: String) async throws {
        let told = try await run(
            Self.manifest(
                until: "state.n == 3",
                #"pay = { effect = "keys:ask", args = [3], retry = 5, executor = "\#(executor)" }"#))
        #expect(told.map(\.attempt) == [1, 2, 3])
        #expect(Set(told.map(\.key)).count == 1)
        let parts = told[0].key.split(separator: "/")
        #expect(parts.dropFirst() == ["main", "pay", "1"])
        #expect(parts[0].count == 32 && parts[0].allSatisfy(\.isHexDigit))
    }

    @Test func eachRun_hasAKeyOfItsOwn() async throws {
        let manifest = Self.manifest(
            until: "state.n >= 6",
            """
            pay   = { effect = "keys:ask", args = [1], trigger = "state" }
            check = { effect = "keys:ask", args = [1], trigger = { each = "[state.n, state.n + 100]" } }
            """)
        let (one, other) = (try await run(manifest), try await run(manifest))
        let keys = (one + other).map(\.key)
        #expect(keys.count >= 12)
        #expect(Set(keys).count == keys.count)
        #expect((one + other).allSatisfy { $0.attempt == 1 })
    }

    @Test func keysOfLongNames_haveRoom() async throws {
        let name = String(repeating: "n", count: 300)
        let told = try await run(
            Self.manifest(
                until: "state.n == 2", loop: name,
                """
                \(name)_a = { effect = "keys:ask", args = [1] }
                \(name)_b = { effect = "keys:ask", args = [1] }
                """))
        #expect(Set(told.map(\.key)).count == 2)
        #expect(told.allSatisfy { $0.key.utf8.count <= 255 })
    }

    @Test(arguments: ["", "instance = \"app\""])
    func callsThatASwapMakesAgain_haveTheKeyOfTheFirst(plugin: String) async throws {
        let manifest = Self.manifest(until: "state.n == 3", #"stay = { effect = "keys:stay" }"#)
            .replacing(#"library = "./lib.so""#, with: "library = \"./lib.so\"\n\(plugin)")
        let world = try SwapWorld(manifest, Self.library())
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        for version in 2...3 {
            try world.build(Self.library(version: version))
            try await world.swap("keys", in: run)
            await world.record.steps(version + 1)
        }
        #expect(await run.finished().outcome == .done)
        let told = try told(world.record)
        #expect(told.map(\.attempt) == [1, 2, 3])
        #expect(Set(told.map(\.key)).count == 1)
        #expect(world.record.lines == [])
    }
}
