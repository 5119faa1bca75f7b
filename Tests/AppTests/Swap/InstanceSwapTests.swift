import App
import Diagnostics
import Foundation
import HostLoop
import Manifest
import Records
import TestSupport
import Testing

/// Plugins with instances that are swapped while their app runs.
@Suite(.serialized, .timeLimit(.minutes(10))) struct InstanceSwapTests {
    private static func manifest(until: String, effect: String = "count", plugin: String = "") -> String {
        SensorSource.plugin(plugin) + SensorSource.loop(until: until, effect: effect)
    }

    @Test(arguments: [
        "", "instance = \"app\"", "feedback: on-error = { event = \"counted\", count = \"0\", by = \"0\" }",
    ])
    func stateIsKept_andEveryCallIsCountedOnce(more: String) async throws {
        let ofFeedback = more.hasPrefix("feedback: ") ? String(more.dropFirst(10)) : ""
        let world = try SwapWorld(
            Self.manifest(until: "state.by == 2", plugin: ofFeedback.isEmpty ? more : "") + ofFeedback + "\n",
            SensorSource(version: 1).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(10)
        try world.build(SensorSource(version: 2).text)
        let report = try await world.swap("sensor", in: run)
        #expect(report.state == .carried)
        #expect(report.pause != nil)
        let end = await run.finished()
        #expect(end.outcome == .done)
        let n = end.counters.steps
        #expect(
            world.record.steps.last == #"counted{"count":\#(n),"by":2} {"n":\#(n),"count":\#(n),"by":2}"#)
        #expect(world.record.faults == [])
        #expect(end.counters.withdrawn == 0)
        #expect(
            world.record.lines == [
                "create 1", "start 1", "create 2", "stop 1", "save 1", "restore 2", "start 2", "stop 2",
                "destroy 2", "destroy 1",
            ])
    }

    @Test func withoutSave_theNewOneBeginsAfresh() async throws {
        let world = try SwapWorld(
            Self.manifest(until: "state.by == 2"), SensorSource(version: 1, savesState: false).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(10)
        try world.build(SensorSource(version: 2).text)
        let report = try await world.swap("sensor", in: run)
        #expect(report.state == .fresh)
        #expect(await run.finished().outcome == .done)
        #expect(world.record.steps.last?.hasPrefix(#"counted{"count":1,"by":2}"#) == true)
    }

    @Test(arguments: ["", "instance = \"app\""])
    func manySwaps_underLoad_ofTwoLoops_loseNothing(more: String) async throws {
        let world = try SwapWorld(
            SensorSource.plugin(more) + SensorSource.loop("one", until: "state.by == 3")
                + SensorSource.loop("two", until: "state.by == 3"), SensorSource(version: 1).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        for round in 0..<10 {
            try world.build(SensorSource(version: round % 2 == 0 ? 2 : 1).text + "// \(round)")
            let seen = world.record.steps.count
            let report = await world.app.swap("sensor", in: run, deadline: .generous)
            #expect([.swapped, .unchanged].contains(report.outcome), "\(report)")
            await world.record.steps(seen + 2)
        }
        try world.build(SensorSource(version: 3).text)
        try await world.swap("sensor", in: run)
        let end = await run.finished()
        #expect(end.outcome == .done)
        #expect(end.counters.withdrawn == 0)
        #expect(end.counters.drops == 0)
        #expect(world.record.faults == [])
        // Each instance has counted every event of its loops, which a lost or doubled call would show.
        let counts = world.record.steps.filter { $0.hasPrefix("counted") }.compactMap {
            Int($0.dropFirst(#"counted{"count":"#.count).prefix { $0.isNumber })
        }
        #expect(counts.count == end.counters.steps)
        if more.isEmpty {
            #expect(counts.filter { $0 == 1 }.count == 2)
        } else {
            #expect(counts.max() == Set(counts).count)
        }
    }

    @Test(arguments: [
        ("create", "`sensor` could not be created: there is no device"),
        ("restore", "`sensor` does not take over the state of version 1: it does not know that state"),
        ("start", "`sensor` could not be started: the device is taken"),
    ])
    func newVersionThatDoesNotStart_isRefused_andTheOldOneContinues(function: String, reason: String)
        async throws
    {
        let world = try SwapWorld(Self.manifest(until: "state.by == 3"), SensorSource(version: 1).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(10)
        try world.build(SensorSource(version: 2, fails: function).text)
        let report = try await world.swap("sensor", in: run, expecting: .refused)
        #expect(report.reasons.map(\.message) == [reason])
        await world.record.steps(world.record.steps.count + 10)
        try world.build(SensorSource(version: 3).text)
        try await world.swap("sensor", in: run)
        let end = await run.finished()
        #expect(end.outcome == .done)
        let n = end.counters.steps
        #expect(
            world.record.steps.last == #"counted{"count":\#(n),"by":3} {"n":\#(n),"count":\#(n),"by":3}"#)
        #expect(!world.record.steps.contains { $0.contains(#""by":2}"#) })
        #expect(world.record.lines.filter { $0 == "destroy 2" }.count == (function == "create" ? 0 : 1))
    }

    @Test func saveThatFails_keepsTheOldOne() async throws {
        let world = try SwapWorld(
            Self.manifest(until: "state.by == 3"), SensorSource(version: 1, fails: "save").text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(SensorSource(version: 2).text)
        let report = try await world.swap("sensor", in: run, expecting: .failed)
        #expect(report.reasons.map(\.message) == ["`sensor` could not be saved: the disk is full"])
        await world.record.steps(world.record.steps.count + 10)
        run.stop()
        let counters = await run.finished().counters
        let n = counters.steps
        #expect(world.record.steps.last?.contains(#"{"n":\#(n),"count":\#(n),"by":1}"#) == true)
        #expect(counters.swaps == 0 && counters.refusedSwaps == 0 && counters.failedSwaps == 1)
    }

    @Test func oldVersionThatDoesNotStartAgain_isAnError_andAThirdVersionHelps() async throws {
        let world = try SwapWorld(
            Self.manifest(until: "state.by == 3")
                + "on-error = { event = \"counted\", count = \"0\", by = \"0\" }\n",
            SensorSource(version: 1, fails: "again").text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(3)
        try world.build(SensorSource(version: 2, fails: "start").text)
        let report = try await world.swap("sensor", in: run, expecting: .failed)
        #expect(report.reasons.map(\.code.rawValue) == ["P060", "P082"])
        #expect(
            world.record.logged.contains {
                $0.contains("could not be started: the device is taken; it has no instance")
            })
        // Its effects fail.
        await world.record.steps(world.record.steps.count + 3)
        #expect(world.record.steps.last?.contains(#""by":0}"#) == true)
        try world.build(SensorSource(version: 3).text)
        let next = try await world.swap("sensor", in: run)
        #expect(next.state == .fresh)
        #expect(await run.finished().outcome == .done)
    }

    @Test(
        .inThisProcess("it shares a descriptor with its plugin"), arguments: ["create", "restore", "start"])
    func newVersionThatHangs_isRefused_andTheOldOneContinues(function: String) async throws {
        let gate = Pipe()
        let world = try SwapWorld(Self.manifest(until: "state.by == 3"), SensorSource(version: 1).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(3)
        try world.build(
            SensorSource(version: 2, hangs: function, gate: gate.fileHandleForReading.fileDescriptor).text)
        let report = await world.app.swap("sensor", in: run, deadline: .seconds(5))
        #expect(report.outcome == .refused)
        #expect(
            report.reasons.map(\.message) == [
                "`\(function) of sensor of main` did not return within 5.0 seconds"
            ])
        await world.record.steps(world.record.steps.count + 3)
        try gate.fileHandleForWriting.close()
        try world.build(SensorSource(version: 3).text)
        try await world.swap("sensor", in: run)
        #expect(await run.finished().outcome == .done)
        #expect(!world.record.steps.contains { $0.contains(#""by":2}"#) })
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"), arguments: ["stop", "save"])
    func oldVersionThatHangs_continues_onceItReturns(function: String) async throws {
        let gate = Pipe()
        let world = try SwapWorld(
            Self.manifest(until: "state.by == 3"),
            SensorSource(version: 1, hangs: function, gate: gate.fileHandleForReading.fileDescriptor).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(3)
        try world.build(SensorSource(version: 2).text)
        let report = await world.app.swap("sensor", in: run, deadline: .seconds(5))
        #expect(report.outcome == .failed)
        #expect(
            report.reasons.map(\.message) == [
                "`\(function) of sensor of main` did not return within 5.0 seconds"
            ])
        try world.build(SensorSource(version: 3).text)
        try await world.swap("sensor", in: run, expecting: .failed)
        let seen = world.record.steps.count
        try gate.fileHandleForWriting.close()
        await world.record.steps(seen + 3)
        #expect(world.record.steps.last?.contains(#""by":1}"#) == true)
        await world.swapOnceItMay("sensor", in: run)
        let end = await run.finished()
        #expect(end.outcome == .done)
        let n = end.counters.steps
        #expect(
            world.record.steps.last == #"counted{"count":\#(n),"by":3} {"n":\#(n),"count":\#(n),"by":3}"#)
    }

    @Test(arguments: [("create", true), ("restore", true), ("start", true), ("stop", false), ("save", false)])
    func crashInAFunction_doesNotCrashTheHost(function: String, isOfNew: Bool) async throws {
        let world = try SwapWorld(
            Self.manifest(until: "state.by == 3", plugin: "isolation = \"guarded\""),
            SensorSource(version: 1, crashes: isOfNew ? "" : function).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(3)
        try world.build(SensorSource(version: 2, crashes: isOfNew ? function : "").text)
        let report = await world.app.swap("sensor", in: run, deadline: .generous)
        if isOfNew {
            #expect(report.outcome == .refused)
            #expect(report.reasons.first?.message.contains("crashed with SIGSEGV") == true)
        } else {
            // What has crashed is not asked for its state.
            #expect(report.outcome == .swapped)
            #expect(report.state == .fresh)
        }
        await world.record.steps(world.record.steps.count + 3)
        try world.build(SensorSource(version: 3).text)
        try await world.swap("sensor", in: run)
        #expect(await run.finished().outcome == .done)
        #expect(world.record.faults == [])
    }
}
