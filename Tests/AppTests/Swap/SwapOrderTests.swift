import App
import Foundation
import TestSupport
import Testing

/// An app whose effects are synchronous, which has but one order of events.
@Suite(.timeLimit(.minutes(10))) struct SwapOrderTests {
    /// Versions that answer alike. One takes its time for each tick, so that a test that waits for its turn finds no endless record.
    private static func library(_ version: Int, takesTime: Bool = true) -> String {
        """
        #include <spinhost/plugin.h>
        #include <unistd.h>
        SPIN_PLUGIN("numbers", "\(version)");
        static int32_t number(int32_t seed) { return (seed + 1) * 7919 % 1009; }
        SPIN_EFFECT(int32_t, number, (int32_t seed), "");
        static int32_t next(int32_t seed) {
            if (\(takesTime ? 1 : 0))
                usleep(2000);
            return number(seed);
        }
        SPIN_EFFECT(int32_t, next, (int32_t seed), "");
        """
    }

    /// Each tick has two or three answers, in the order of the feedbacks, and one of them the next tick; the state tells orders apart.
    private static let manifest = """
        [plugins.numbers]
        library = "./lib.so"
        [loops.main]
        state  = { n = 0, log = 0 }
        events = { ticked = { n = "int" }, answered = { n = "int" }, told = { n = "int" } }
        until  = "state.n < 0"
        [loops.main.on]
        ticked   = { set = { n = "state.n + 1" } }
        answered = { set = { log = "(state.log * 31 + event.n) % 1000003" } }
        told     = { set = { log = "(state.log * 37 + event.n) % 1000003" } }
        [loops.main.feedback]
        begin = { effect = "numbers:number", args = [0], emit = { event = "ticked", n = "result" } }
        odd   = { on = "ticked", when = "event.n % 2 == 1", effect = "numbers:number", args = ["event.n + 2"], emit = { event = "answered", n = "result" } }
        tell  = { on = "ticked", effect = "numbers:number", args = ["event.n + 1"], emit = { event = "told", n = "result" } }
        ask   = { on = "ticked", effect = "numbers:number", args = ["event.n"], emit = { event = "answered", n = "result" } }
        next  = { on = "told", effect = "numbers:next", args = ["state.n % 1000"], emit = { event = "ticked", n = "result" } }

        """

    @Test(.inThisProcess("the loop goes on during a call in a worker, so events have no one order"))
    func aSynchronousApp_makesTheSameStepsInTheSameOrder_withSwapsAsWithout() async throws {
        let world = try SwapWorld(Self.manifest, Self.library(1))
        defer { world.app.close() }
        let versions = try [1, 2].map { version in
            try world.compile(Self.library(version))
            return try Data(contentsOf: world.folder.url("new.so"))
        }
        let run = world.app.start(observer: world.record)
        for swap in 1...10 {
            await world.record.steps(world.record.steps.count + 10)
            try versions[swap % 2].write(to: world.folder.url("lib.so"), options: .atomic)
            try await world.swap("numbers", in: run)
        }
        await world.record.steps(world.record.steps.count + 10)
        run.stop()
        #expect(await run.finished().outcome == .stopped)
        let steps = world.record.steps
        let alone = RecordedRun()
        let app = try alone.app(Self.manifest, library: Self.library(1, takesTime: false))
        defer { app.close() }
        let other = app.start(observer: alone)
        await alone.steps(steps.count)
        other.stop()
        _ = await other.finished()
        let difference = zip(steps, alone.steps).first { $0 != $1 }
        #expect(difference == nil)
        #expect(steps.count >= 100 && alone.steps.count >= steps.count)
    }
}
