import App
import Foundation
import Testing

/// Plugins that live in one worker.
@Suite(.timeLimit(.minutes(10)))
struct SharedWorkerTests {
    private static let maker = Result {
        try CompiledPlugin(
            """
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("maker", "1");
            struct clock_table { int64_t (*now)(void); };
            static int64_t now(void) { return 41; }
            static const struct clock_table table = {now};
            static int32_t publish(void) { return spin_publish("clock", 1, 0, &table, sizeof table); }
            SPIN_EFFECT(int32_t, publish, (void), "");
            """)
    }

    private static let user = Result {
        try CompiledPlugin(
            """
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("user", "1");
            struct clock_table { int64_t (*now)(void); };
            static void wanted(void *context) { (void)context; }
            static int64_t ask(void) {
                uint32_t size = 0;
                const void *found = NULL;
                spin_use use = 0;
                if (spin_acquire("clock", 1, 0, wanted, NULL, &found, &size, &use) != SPIN_OK)
                    return 0;
                int64_t now = ((const struct clock_table *)found)->now();
                spin_release(use);
                return now + 1;
            }
            SPIN_EFFECT(int64_t, ask, (void), "");
            """)
    }

    /// A loop that publishes a table by one plugin, and then asks the other one, which uses it.
    private static func manifest(share: (String, String)) throws -> String {
        """
        [plugins.maker]
        library = "\(try maker.get().file.path)"
        isolation = "process"
        sandbox = { share = "\(share.0)" }
        [plugins.user]
        library = "\(try user.get().file.path)"
        isolation = "process"
        sandbox = { share = "\(share.1)" }
        [loops.main]
        state = { published = false, now = -1 }
        events = { published = { status = "int" }, asked = { now = "int" } }
        until = "state.now >= 0"
        [loops.main.on]
        published = { set = { published = "event.status == 0" } }
        asked = { set = { now = "event.now" } }
        [loops.main.feedback.publishes]
        effect = "maker:publish"
        emit = { event = "published", status = "result" }
        [loops.main.feedback.asks]
        when = "state.published"
        effect = "user:ask"
        emit = { event = "asked", now = "result" }
        """
    }

    @Test(arguments: [("both", "both", 42), ("one", "other", 0)])
    func tablesAreThoseOfTheSameWorker(_ one: String, _ other: String, _ now: Int) async throws {
        let run = RecordedRun()
        let end = try await run.run(try Self.manifest(share: (one, other)))
        #expect(end.outcome == .done)
        #expect(run.steps.last?.contains("\"now\":\(now)}") == true, "\(run.steps)")
    }
}
