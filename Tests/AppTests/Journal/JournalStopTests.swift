import App
import HostLoop
import Journal
import Manifest
import Records
import TestSupport
import Testing

/// An app that was stopped in order continues.
@Suite(.timeLimit(.minutes(10))) struct JournalStopTests {
    @Test(arguments: ["args = [\"state.n\"]", "args = [\"state.n\"]\nexecutor = \"pool\""])
    func `a run that ends because of the stop is begun again, with its key`(_ more: String) async throws {
        let world = try JournalWorld(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state  = { n = 0 }
            events = { counted = { n = "int" } }
            [loops.main.feedback.wait]
            effect = "lib:wait"
            emits.counted = { event = "counted", n = "value.n" }
            \(more)
            """,
            library: """
                #include <spinhost/plugin.h>
                SPIN_PLUGIN("lib", "1.0");
                SPIN_EMITTER(counted, (int64_t, n));
                static void cancelled(void *call) { spin_finish(call); }
                static void wait(spin_call *call, int64_t n) {
                    char key[SPIN_RUN_KEY_SIZE];
                    spin_run_key(call, key, sizeof key);
                    spin_print(key);
                    spin_on_cancel(call, cancelled, call);
                }
                SPIN_EFFECT(void, wait, (spin_call *call, int64_t n), "Waits for its cancellation.");

                """)
        for round in 1...5 {
            let record = RecordedRun()
            let app = try world.app(record)
            defer { app.close() }
            let journal = try world.journal(world.store)
            #expect(journal.recovery?.runsAgain == (round == 1 ? nil : 1), "\(round)")
            let run = app.makeRun(observer: record, journal: journal)
            run.start()
            await record.lines(1)
            run.stop()
            _ = await run.finished()
            #expect(record.lines == ["\(String(repeating: "a", count: 32))/main/wait/1"], "\(round)")
        }
    }
}
