import App
import Diagnostics
import Foundation
import TestSupport
import Testing

/// Functions of plugins that do not return while their instances hand over.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SwapHoldupTests {
    @Test(.inThisProcess("it shares a descriptor with its plugin"), arguments: ["", "instance = \"app\""])
    func cancellationThatHangs_keepsItsInstance_andTheSwapReturns(plugin: String) async throws {
        let gate = Pipe()
        let world = try SwapWorld(
            SensorSource.watching(plugin),
            SensorSource(version: 1, hangs: "cancelled", gate: gate.fileHandleForReading.fileDescriptor).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        try world.build(SensorSource(version: 2).text)
        let report = await world.app.swap("sensor", in: run, deadline: .seconds(5))
        #expect(report.outcome == .failed)
        let name = plugin.isEmpty ? "sensor of main" : "sensor"
        #expect(
            report.reasons.map(\.message) == [
                "`cancellation of \(name)` did not return within 5.0 seconds"
            ])
        #expect(world.record.lines.contains("destroy 2"))
        try world.build(SensorSource(version: 3).text)
        try await world.swap("sensor", in: run, expecting: .failed)
        // The call is made anew once it returns, for who sits there then.
        try gate.fileHandleForWriting.close()
        await world.record.steps(3)
        #expect(world.record.steps.last == #"counted{"count":2,"by":1} {"n":2,"count":2,"by":1}"#)
        await world.swapOnceItMay("sensor", in: run)
        #expect(await run.finished().outcome == .done)
        #expect(world.record.steps.last == #"counted{"count":3,"by":3} {"n":3,"count":3,"by":3}"#)
        #expect(world.record.faults == [])
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func oldOneThatReturnsWhileTheSwapIsGivenUp_isLeftAlone_untilItIsStartedAgain() async throws {
        let (stopped, starting, gate) = (Pipe(), Pipe(), Pipe())
        let ends = [stopped, starting].map {
            ($0.fileHandleForReading.fileDescriptor, $0.fileHandleForWriting.fileDescriptor)
        }
        func library(_ version: Int, start: String = "", stop: String = "", destroy: String = "") -> String {
            """
            #include <spinhost/plugin.h>
            #include <stdlib.h>
            #include <unistd.h>
            SPIN_PLUGIN("sensor", "\(version)");
            struct spin_self { int starts, stops; };
            static spin_self *create(spin_call *call, const spin_config *config) {
                (void)call;
                (void)config;
                return calloc(1, sizeof(spin_self));
            }
            static void destroy(spin_self *self) {
                char byte = 0;
                free(self);
                (void)byte;
                \(destroy)
            }
            SPIN_INSTANCE(create, destroy);
            static spin_status start(spin_call *call, spin_self *self) {
                char byte = 0;
                (void)call;
                self->starts++;
                (void)byte;
                \(start)
                return SPIN_OK;
            }
            static void stop(spin_self *self) {
                char byte = 0;
                self->stops++;
                (void)byte;
                \(stop)
            }
            SPIN_LIFE(start, stop);
            static int64_t count(spin_self *self) { return self->starts * 0 + \(version); }
            SPIN_EFFECT(int64_t, count, (spin_self *self), "");
            """
        }
        let world = try SwapWorld(
            SensorSource.plugin() + SensorSource.loop(until: "state.by == 3"),
            library(
                1,
                start: """
                    if (self->starts == 2) {
                        if (write(\(ends[1].1), &byte, 1) < 0) abort();
                        while (read(\(gate.fileHandleForReading.fileDescriptor), &byte, 1) > 0) ;
                    }
                    """,
                stop: "if (self->stops == 1 && read(\(ends[0].0), &byte, 1) < 0) abort();"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(3)
        // It is freed as `stop` of the old one has not returned, which it does then, and is being started again before this returns.
        try world.build(
            library(
                2,
                destroy: """
                    if (write(\(ends[0].1), &byte, 1) < 0 || read(\(ends[1].0), &byte, 1) < 0) abort();
                    """))
        let report = await world.app.swap("sensor", in: run, deadline: .seconds(5))
        #expect(report.outcome == .failed)
        try world.build(library(3))
        let busy = await world.app.swap("sensor", in: run, deadline: .generous)
        #expect(
            busy.reasons.map(\.message) == ["`start of sensor of main` of the last swap has not returned"])
        try gate.fileHandleForWriting.close()
        await world.swapOnceItMay("sensor", in: run)
        #expect(await run.finished().outcome == .done)
        #expect(world.record.faults == [])
        withExtendedLifetime((stopped, starting, gate)) {}
    }
}
