import Foundation
import TestSupport
import Testing

/// `spinhost replay --libraries` and `spinhost test --libraries`, with reducers in C.
@Suite(.timeLimit(.minutes(10))) struct NativeReplayTests {
    private static let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path

    /// A loop with a native reducer and a loop without one, and a plugin with an effect only.
    private static let manifest = """
        app.name = "count"
        [plugins.count]
        library = "./count.so"
        [plugins.tick]
        library = "./tick.so"
        [loops.main]
        state   = { n = 0, history = { type = "[int]" }, declared = 0 }
        events  = { added = { n = "int" }, left = {} }
        reducer = "count:reduce"
        until   = "state.n > 5 && state.declared > 0"
        on.left = { set = { declared = "state.declared + 1" } }
        [loops.main.feedback.tick]
        effect  = "tick:tick"
        trigger = "state"
        emit    = [{ event = "added", n = "result" }, { event = "left" }]
        [loops.other]
        state = { m = 1 }
        [[tests]]
        name   = "adds"
        loop   = "main"
        given  = { n = 4 }
        events = [{ added = { n = 1 } }, { left = {} }]
        expect = { n = 5, history = [1], declared = 1 }

        """

    /// Builds the reducer with a constructor of these lines, and with `body` for `added`.
    private func build(
        in folder: TemporaryFolder, constructor: String = "", body: String = "state->n += event->as.added.n;",
        version: String = "1.0.0"
    ) throws {
        let text = """
            #include "app.h"
            #include <stdlib.h>
            SPIN_PLUGIN("count", "\(version)");
            __attribute__((constructor)) static void construct(void) { \(constructor) }
            static spin_status reduce(spin_reduction *step, main_state *state, const main_event *event) {
                if (event->tag != MAIN_EVENT_ADDED)
                    return SPIN_UNHANDLED;
                int64_t *items = spin_alloc(step, (state->history.count + 1) * sizeof *items);
                for (size_t i = 0; i < state->history.count; i++)
                    items[i] = state->history.items[i];
                items[state->history.count] = event->as.added.n;
                state->history.items = items;
                state->history.count += 1;
                \(body)
                return SPIN_OK;
            }
            SPIN_REDUCER(reduce, main_state, main_event, "Adds.");
            """
        _ = try CCompiler().sharedObject(
            text, in: folder, as: "count.so", flags: ["-I\(Self.include)", "-I\(folder.root.path)"])
    }

    /// A folder with the app and its recording.
    private func recorded() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.manifest)
        #expect(try Spinhost.run("header", "-o", "app.h", in: folder).status == 0)
        try build(in: folder)
        let effect = """
            #include <spinhost/plugin.h>
            #include <fcntl.h>
            SPIN_PLUGIN("tick", "1.0.0");
            __attribute__((constructor)) static void construct(void) { open("opened", O_CREAT, 0600); }
            static int64_t tick(void) { return 2; }
            SPIN_EFFECT(int64_t, tick, (void), "");
            """
        _ = try CCompiler().sharedObject(effect, in: folder, as: "tick.so", flags: ["-I\(Self.include)"])
        let run = try Spinhost.run("run", "--json", in: folder)
        #expect(run.status == 0, "\(run.errors)")
        try folder.write("run.jsonl", run.output)
        try FileManager.default.removeItem(at: folder.url("opened"))
        return folder
    }

    @Test func nativeReducers_areCalled_andNoOtherPluginIsLoaded() throws {
        let folder = try recorded()
        let replay = try Spinhost.run("replay", "run.jsonl", "--libraries", in: folder)
        #expect(replay.output.hasPrefix("identical: "), "\(replay.errors)")
        #expect((replay.status, replay.errors) == (0, ""))
        let test = try Spinhost.run("test", "--libraries", in: folder)
        #expect(test.output == "ok    adds\n1 test, 0 failed\n", "\(test.output)\(test.errors)")
        #expect((test.status, test.errors) == (0, ""))
        #expect(!FileManager.default.fileExists(atPath: folder.url("opened").path))
    }

    @Test func anotherReducer_isShown_andFailsTheTest() throws {
        let folder = try recorded()
        try build(in: folder, body: "state->n += event->as.added.n + 1;")
        let replay = try Spinhost.run("replay", "run.jsonl", "--libraries", in: folder)
        #expect(replay.status == 1)
        #expect(replay.errors.hasPrefix("error[M110]: `n` is 3 now, and was 2\n"), "\(replay.errors)")
        let test = try Spinhost.run("test", "--libraries", in: folder)
        #expect(test.status == 1)
        #expect(test.output.contains("  n: expected 5, found 6  (app.toml:"), "\(test.output)")
    }

    @Test func reducerThatFails_isAStepThatFails() throws {
        let folder = try recorded()
        try build(in: folder, body: "return SPIN_NO_MEMORY;")
        let replay = try Spinhost.run("replay", "run.jsonl", "--libraries", in: folder)
        #expect(replay.status == 1)
        #expect(replay.errors.hasPrefix("error[M110]: the step fails now: "), "\(replay.errors)")
        let test = try Spinhost.run("test", "--libraries", in: folder)
        #expect(test.status == 1)
        #expect(test.output.contains("FAIL  adds\n"), "\(test.output)")
    }

    @Test func libraryThatCrashesWhenItIsTried_isRefused_andTheCommandEndsInOrder() throws {
        let folder = try recorded()
        try build(in: folder, constructor: "abort();")
        for arguments in [["replay", "run.jsonl", "--libraries"], ["test", "--libraries"]] {
            let outcome = try Shell.run(Project.spinhost, arguments, in: folder.root)
            #expect((outcome.status, outcome.output) == (69, ""))
            #expect(
                outcome.errors.hasPrefix(
                    "error[P087]: tried in a process of its own, the library fails: "), "\(outcome.errors)")
            #expect(outcome.errors.contains("--> app.toml:3:11\n"), "\(outcome.errors)")
        }
    }

    @Test func appWithoutNativeReducers_isReplayedAsBefore() throws {
        let folder = try TemporaryFolder()
        let recording = try Spinhost.run("--json", "--manifest", Spinhost.example("levels"))
        try folder.write("run.jsonl", recording.output)
        let replay = try Spinhost.run(
            "replay", "run.jsonl", "--libraries", "--manifest", Spinhost.example("levels"), in: folder)
        #expect((replay.status, replay.output) == (0, "identical: 10 steps\n"))
    }

    @Test func journalOfANativeReducer_isMadeAgain_andAnotherVersionIsNamed() throws {
        let folder = try recorded()
        let run = try Spinhost.run("--quiet", "--journal", "run.journal", in: folder)
        try #require(run.status == 0, "\(run.errors)")
        let same = try Spinhost.run("replay", "run.journal", "--libraries", in: folder)
        #expect(same.output.hasPrefix("identical: ") && same.status == 0, "\(same)")
        let refused = try Spinhost.run("journal", "verify", "run.journal", "--reduce", in: folder)
        #expect(refused.status == 69)
        #expect(refused.errors.contains("`verify` loads no library"), "\(refused)")
        try build(in: folder, body: "state->n += event->as.added.n + 1;", version: "1.1.0")
        let differs = "`n` is 3 now, and was 2 (plugin `count` 1.0.0 wrote it, 1.1.0 is loaded)\n"
        let verified = try Spinhost.run(
            "journal", "verify", "run.journal", "--reduce", "--libraries", in: folder)
        #expect(verified.status == 1)
        #expect(verified.output.hasSuffix(differs), "\(verified)")
        try build(in: folder, body: "state->n += event->as.added.n + 1;")
        let test = try Spinhost.run("test", "--journal", "run.journal", "--libraries", in: folder)
        #expect(test.status == 1)
        #expect(
            test.output.contains("(plugin `count` 1.0.0 wrote it, another build of it is loaded)"), "\(test)")
    }
}
