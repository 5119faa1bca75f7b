import App
import Diagnostics
import Foundation
import HostLoop
import PluginHost
import TestSupport
import Testing

/// Probations over time: calls that last, calls that are seldom.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ProbationTimeTests {
    /// Lets the watchdog see that what is called now takes too long.
    private func seesCallLast(_ watchdog: Watchdog, _ clock: PacedClock) {
        watchdog.look()
        clock.advance(by: Watchdog.deadline)
        watchdog.look()
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func callThatHangs_isRolledBack_onceItReturns() async throws {
        let (gate, clock) = (Pipe(), PacedClock())
        let reading = gate.fileHandleForReading.fileDescriptor
        let world = try SwapWorld(
            SensorSource.plugin() + SensorSource.loop(until: "state.by == 3", effect: "block"),
            SensorSource(version: 1).text, clock: clock)
        defer { world.app.close() }
        let later = LaterReports()
        try world.compile(SensorSource(version: 2, hangs: "block", gate: reading).text)
        let run = world.app.start(observer: world.record)
        let watchdog = world.app.makeWatchdog(of: run, log: { _ in })
        await world.record.steps(3)
        try world.install()
        try await world.swap("sensor", in: run, onReport: later.onReport)
        await world.record.line("block 2")
        seesCallLast(watchdog, clock)
        try gate.fileHandleForWriting.close()
        let report = try #require(await later.first())
        #expect(report.outcome == .rolledBack)
        #expect(report.reasons.first?.message.contains("effect `block` had not returned after 1 s") == true)
        await world.record.steps(world.record.steps.count + 3)
        #expect(world.record.steps.last?.contains(#""by":1}"#) == true)
        run.stop()
        _ = await run.finished()
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func callThatHangs_isRolledBack_howeverManyOthersReturnMeanwhile() async throws {
        let (gate, clock) = (Pipe(), PacedClock())
        let reading = gate.fileHandleForReading.fileDescriptor
        let world = try SwapWorld(
            SensorSource.plugin() + SensorSource.loop(until: "state.by == 3", effect: "block")
                + SensorSource.loop("other", until: "state.by == 3", effect: "follow"),
            SensorSource(version: 1).text, clock: clock)
        defer { world.app.close() }
        try world.compile(SensorSource(version: 2, hangs: "block", gate: reading).text)
        let run = world.app.start(observer: world.record)
        let watchdog = world.app.makeWatchdog(of: run, log: { _ in })
        await world.record.steps(3)
        try world.install()
        try await world.swap("sensor", in: run)
        await world.record.line("block 2")
        await world.record.until { $0.count { $0.contains(#""by":2}"#) } > 2 * Probation.calls }
        seesCallLast(watchdog, clock)
        try gate.fileHandleForWriting.close()
        // The roll-back has its turn before this: the same library is not tried again.
        try await world.swap("sensor", in: run, expecting: .refused)
        run.stop()
        #expect(await run.finished().counters.rollBacks == 1)
    }

    @Test func versionThatIsCalledOnceAnHour_standsItsProbationAfterAFewQuietMinutes() async throws {
        let clock = PacedClock()
        let world = try SwapWorld(
            SensorSource.plugin() + """
                [loops.main]
                state  = { hour = 0, by = 0 }
                events = { struck = {}, counted = { by = "int" } }
                until  = "state.by == 3"
                [loops.main.on]
                struck  = { set = { hour = "state.hour + 1" } }
                counted = { set = { by = "event.by" } }
                [loops.main.feedback]
                clock = { effect = "std:every", args = ["duration('1h')"], emit = { event = "struck" } }
                ask   = { effect = "sensor:count", on = "struck", emit = { event = "counted", by = "result % 16" } }

                """,
            SensorSource(version: 1).text, clock: clock)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(1)
        /// Whether the version before has been freed. What the clock has made due takes its turn before.
        func isAlone() async throws -> Bool {
            try await world.swap("sensor", in: run, expecting: .unchanged)
            return world.record.lines.contains("destroy 1")
        }
        try world.build(SensorSource(version: 2).text)
        try await world.swap("sensor", in: run)
        // It has not been tried at all.
        clock.advance(by: .seconds(59 * 60))
        #expect(try await isAlone() == false)
        clock.advance(by: .seconds(60))
        await world.record.until { $0.last?.contains(#""by":2}"#) == true }
        clock.advance(by: .seconds(4 * 60))
        #expect(try await isAlone() == false)
        clock.advance(by: .seconds(6 * 60))
        #expect(try await isAlone())
        run.stop()
        #expect(await run.finished().counters.rollBacks == 0)
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin")) func callThatHoldsNoLoop_mayTakeItsTime()
        async throws
    {
        let (gate, clock) = (Pipe(), PacedClock())
        let reading = gate.fileHandleForReading.fileDescriptor
        let world = try SwapWorld(
            SensorSource.plugin("instance = \"app\"")
                + SensorSource.loop(until: "state.by == 2", effect: "block"),
            SensorSource(version: 1).text, clock: clock)
        defer { world.app.close() }
        try world.compile(SensorSource(version: 2, hangs: "block", gate: reading).text)
        let run = world.app.start(observer: world.record)
        let watchdog = world.app.makeWatchdog(of: run, log: { _ in })
        await world.record.steps(3)
        try world.install()
        try await world.swap("sensor", in: run)
        await world.record.line("block 2")
        seesCallLast(watchdog, clock)
        try gate.fileHandleForWriting.close()
        let end = await run.finished()
        #expect(end.outcome == .done && end.counters.rollBacks == 0)
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin")) func slowStart_doesNotFailTheProbation()
        async throws
    {
        let (gate, clock) = (Pipe(), PacedClock())
        let reading = gate.fileHandleForReading.fileDescriptor
        let world = try SwapWorld(
            SensorSource.plugin() + SensorSource.loop(until: "state.by == 3"),
            SensorSource(version: 1).text, clock: clock)
        defer { world.app.close() }
        try world.compile(SensorSource(version: 2, hangs: "start", gate: reading).text)
        let run = world.app.start(observer: world.record)
        let watchdog = world.app.makeWatchdog(of: run, log: { _ in })
        await world.record.steps(3)
        try world.install()
        async let report = world.app.swap("sensor", in: run, deadline: .generous)
        await world.record.line("start 2")
        seesCallLast(watchdog, clock)
        try gate.fileHandleForWriting.close()
        #expect(await report.outcome == .swapped)
        // A roll-back would come before this.
        try await world.swap("sensor", in: run, expecting: .unchanged)
        run.stop()
        #expect(await run.finished().counters.rollBacks == 0)
    }
}
