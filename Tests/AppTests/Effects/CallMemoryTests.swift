import App
import TestSupport
import Testing

/// The memory that a plugin allocates for a call.
@Suite(.timeLimit(.minutes(10))) struct CallMemoryTests {
    /// An effect that has a block of memory, and a function that has it look at its block.
    private static let plugin = """
        #include <spinhost/plugin.h>
        #include <sched.h>
        #include <stdatomic.h>
        #include <string.h>
        SPIN_PLUGIN("holder", "1");
        SPIN_EMITTER(holding, (int64_t, size));
        static atomic_int looks, found;
        static void hold(spin_call *call) {
            unsigned char *block = spin_call_alloc(call, 64);
            memset(block, 7, 64);
            holding(call, 64);
            while (!atomic_load(&looks))
                sched_yield();
            int intact = 0;
            for (int index = 0; index < 64; index++)
                intact += block[index] == 7;
            atomic_store(&found, intact);
        }
        SPIN_EFFECT(void, hold, (spin_call *call), "");
        static int32_t look(int64_t number) {
            (void)number;
            atomic_store(&looks, 1);
            while (!atomic_load(&found))
                sched_yield();
            return atomic_load(&found);
        }
        SPIN_EFFECT(int32_t, look, (int64_t number), "");
        """

    @Test func aFunctionKeepsItsMemoryAfterItsCallIsCancelled() async throws {
        let recorded = RecordedRun()
        let clock = PacedClock()
        let app = try recorded.app(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state  = { cancelled = false, intact = 0 }
            events = { holding = { size = "int" }, failed = {}, looked = { intact = "int" } }
            until  = "state.intact > 0"
            [loops.main.on]
            holding = {}
            failed  = { set = { cancelled = "true" } }
            looked  = { set = { intact = "event.intact" } }
            [loops.main.feedback.hold]
            effect   = "lib:hold"
            executor = "pool"
            timeout  = "5s"
            on-error = { event = "failed" }
            [loops.main.feedback.look]
            effect  = "lib:look"
            args    = ["1"]
            trigger = "state"
            when    = "state.cancelled"
            emit    = { event = "looked", intact = "result" }

            """, library: Self.plugin, clock: clock)
        let run = app.start(observer: recorded)
        await recorded.steps(2)
        await clock.timers(1)
        clock.advance(by: .seconds(5))
        #expect(await run.finished().outcome == .done)
        #expect(recorded.steps.last == #"looked{"intact":64} {"cancelled":true,"intact":64}"#)
    }
}
