import App
import Diagnostics
import Foundation
import HostLoop
import TestSupport
import Testing

/// Functions of plugins that do not return, while the app waits for something else.
@Suite(.timeLimit(.minutes(10))) struct SlowPluginTests {
    /// A plugin with an effect that goes on until a function of its timer, or of its cancellation, hangs.
    private static func hanging(_ descriptor: Int32) -> String {
        """
        #include <spinhost/plugin.h>
        #include <unistd.h>
        SPIN_PLUGIN("slow", "1");
        static volatile int32_t hangs;
        static void hang(void *context) {
            char byte;
            (void)context;
            hangs = 1;
            while (read(\(descriptor), &byte, 1) > 0)
                ;
        }
        static void fire(void *context, uint64_t expirations) {
            (void)expirations;
            hang(context);
        }
        static void in_timer(spin_call *call) { spin_timer_start(call, 0, 0, fire, NULL, NULL, NULL); }
        SPIN_EFFECT(void, in_timer, (spin_call *call), "");
        static void in_cancellation(spin_call *call) { spin_on_cancel(call, hang, NULL); }
        SPIN_EFFECT(void, in_cancellation, (spin_call *call), "");
        static int32_t look(int64_t number) { return number * 0 + hangs; }
        SPIN_EFFECT(int32_t, look, (int64_t number), "");
        """
    }

    @Test(
        .inThisProcess("it shares a descriptor with its plugin"), arguments: ["in_timer", "in_cancellation"])
    func hangingFunction_holdsUpNeitherDelaysNorTheEnd(function: String) async throws {
        let gate = Pipe()
        let world = try SwapWorld(
            """
            [plugins.slow]
            library = "./lib.so"
            [loops.main]
            initial = "waiting"
            shared  = { looks = 0 }
            states  = { waiting = {}, hanging = {}, over = {} }
            events  = { looked = { hangs = "int" } }
            until   = "state.case == 'over'"
            [loops.main.on]
            looked = [{ if = "event.hangs == 1", from = "waiting", to = "hanging" }, { from = "waiting", set = { looks = "state.looks + 1" } }]
            [loops.main.after]
            hanging = { delay = "1ms", to = "over" }
            [loops.main.feedback]
            begin = { effect = "slow:\(function)", timeout = "1ms" }
            look  = { effect = "slow:look", args = ["state.looks"], trigger = "state", when = "state.case == 'waiting'", emit = { event = "looked", hangs = "result" } }

            """, Self.hanging(gate.fileHandleForReading.fileDescriptor))
        defer { world.app.close() }
        #expect(await world.app.start(observer: world.record).finished().outcome == .done)
        try gate.fileHandleForWriting.close()
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func workThatOutlastsASwap_keepsTheOldVersionMapped() async throws {
        let gate = Pipe()
        func library(_ version: Int) -> String {
            SensorSource(version: version).text + """
                static void serve(void *context) {
                    char byte;
                    (void)context;
                    while (read(\(gate.fileHandleForReading.fileDescriptor), &byte, 1) > 0)
                        ;
                }
                static int64_t begin(int64_t number) { return spin_work(serve, NULL) == SPIN_OK ? number : -1; }
                SPIN_EFFECT(int64_t, begin, (int64_t number), "");
                """
        }
        let world = try SwapWorld(
            SensorSource.plugin() + SensorSource.loop(until: "state.by == 3") + """
                [loops.server]
                state  = { begun = 0 }
                events = { begun = { number = "int" } }
                on.begun = { set = { begun = "event.number" } }
                until = "state.begun == 1"
                [loops.server.feedback.begin]
                effect = "sensor:begin"
                args   = ["1"]
                emit   = { event = "begun", number = "result" }

                """, library(1))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.until { $0.contains { $0.hasPrefix("begun") } }
        try world.build(library(2))
        let report = await world.app.swap("sensor", in: run, deadline: .seconds(4))
        #expect(report.outcome == .failed)
        #expect(
            report.reasons.map(\.message) == ["`work of sensor of main` did not return within 4.0 seconds"])
        // It was stopped for the swap, and is called again.
        await world.record.steps(world.record.steps.count + 3)
        #expect(world.record.steps.last?.contains(#""by":1}"#) == true)
        try gate.fileHandleForWriting.close()
        try world.build(library(3))
        await world.swapOnceItMay("sensor", in: run)
        #expect(await run.finished().outcome == .done)
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func unfinishedWork_doesNotHideWhyAnotherPluginCannotStart() async throws {
        let gate = Pipe()
        let world = try SwapWorld(
            Self.working, Self.worker(gate.fileHandleForReading.fileDescriptor))
        defer { world.app.close() }
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        _ = try CCompiler().sharedObject(
            SensorSource(version: 1, fails: "create").text, in: world.folder, as: "sensor.so",
            flags: ["-I\(include)"])
        let run = world.app.start(observer: world.record)
        await world.record.until { $0.contains { $0.hasPrefix("begun") } }
        let answer = try await world.handOver(
            run,
            to: Self.working + """
                [plugins.sensor]
                library = "./sensor.so"

                """ + SensorSource.loop("other", until: "state.by == 1"))
        guard case .failure(let reasons) = answer else {
            Issue.record("it has no instance")
            return
        }
        #expect(
            reasons.diagnostics.map(\.message) == ["`sensor` could not be created: there is no device"])
        try gate.fileHandleForWriting.close()
        run.stop()
        _ = await run.finished()
    }

    private static let working = """
        [plugins.worker]
        library = "./lib.so"
        [loops.main]
        state  = { n = 0 }
        events = { begun = { number = "int" }, ticked = {} }
        on.begun = { set = { n = "event.number" } }
        until  = "state.n == 2"
        [loops.main.feedback.stay]
        effect = "std:every"
        args   = ["1h"]
        emit   = { event = "ticked" }
        [loops.main.feedback.begin]
        effect = "worker:begin"
        args   = ["1"]
        emit   = { event = "begun", number = "result" }

        """

    /// A plugin whose effect begins work that lasts until the descriptor is closed.
    private static func worker(_ descriptor: Int32) -> String {
        """
        #include <spinhost/plugin.h>
        #include <unistd.h>
        SPIN_PLUGIN("worker", "1");
        static void serve(void *context) {
            char byte;
            (void)context;
            while (read(\(descriptor), &byte, 1) > 0)
                ;
        }
        static int64_t begin(int64_t number) { return spin_work(serve, NULL) == SPIN_OK ? number : -1; }
        SPIN_EFFECT(int64_t, begin, (int64_t number), "");
        """
    }
}
