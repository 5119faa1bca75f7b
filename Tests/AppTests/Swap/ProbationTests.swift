import App
import Diagnostics
import Foundation
import HostLoop
import PluginHost
import TestSupport
import Testing

/// New versions of plugins that do not stand their first calls.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ProbationTests {
    /// A loop that asks in each state, whatever comes of it.
    private static func manifest(until: String, plugin: String = "", more: String = "") -> String {
        SwapWorld.manifest(
            until: 0, more: "on-error = { event = \"answered\", answer = \"-1\" }\n" + more, plugin: plugin
        )
        .replacing("state.answer == 0", with: until)
    }

    private static let crashing = SwapWorld.plugin(2, version: "2").replacing(
        "return seed * 0 + 2", with: "return *(volatile int32_t *)(intptr_t)(seed * 0 + 8)")

    @Test func crash_isRolledBack_andTheSameBytesAreRefused() async throws {
        let world = try SwapWorld(
            Self.manifest(until: "state.n < 0", plugin: "isolation = \"guarded\""),
            SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let (run, later) = (world.app.start(observer: world.record), LaterReports())
        await world.record.steps(3)
        try world.build(Self.crashing)
        try await world.swap("numbers", in: run, onReport: later.onReport)
        let report = try #require(await later.first())
        #expect(report.outcome == .rolledBack)
        #expect([report.from, report.to] == ["1", "2"])
        #expect(report.reasons.map(\.code.rawValue) == ["P083"])
        #expect(
            report.reasons.first?.message
                == "the new version failed its probation: effect `number` crashed with SIGSEGV at address 0x8"
        )
        // The old one is called.
        let seen = world.record.steps.count
        await world.record.steps(seen + 5)
        #expect(world.record.steps.suffix(4).allSatisfy { $0.contains(#""answer":1}"#) })
        let again = try await world.swap("numbers", in: run, expecting: .refused)
        #expect(again.reasons.map(\.code.rawValue) == ["P084"])
        try world.build(SwapWorld.plugin(3, version: "3"))
        try await world.swap("numbers", in: run)
        run.stop()
        let end = await run.finished()
        #expect(end.counters.swaps == 2)
        #expect(end.counters.refusedSwaps == 1)
        #expect(end.counters.rollBacks == 1)
    }

    @Test func invalidValue_isRolledBack() async throws {
        func library(_ text: String) -> String {
            """
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("numbers", "1");
            static const char *number(int32_t seed) { return seed < -1 ? "" : "\(text)"; }
            SPIN_EFFECT(const char *, number, (int32_t seed), "");
            """
        }
        let world = try SwapWorld(
            Self.manifest(until: "state.n < 0").replacing("answer = 0", with: "answer = ''").replacing(
                "answer = \"int\"", with: "answer = \"string\""
            ).replacing("\"-1\"", with: "\"'-1'\""), library("one"))
        defer { world.app.close() }
        let (run, later) = (world.app.start(observer: world.record), LaterReports())
        await world.record.steps(3)
        try world.build(library("\\xff"))
        try await world.swap("numbers", in: run, onReport: later.onReport)
        let report = try #require(await later.first())
        #expect(report.outcome == .rolledBack)
        #expect(report.reasons.first?.message.contains("returned a value that is not of its type") == true)
        let seen = world.record.steps.count
        await world.record.steps(seen + 3)
        #expect(world.record.steps.last?.contains(#""answer":"one"}"#) == true)
        run.stop()
        #expect(await run.finished().counters.rollBacks == 1)
    }

    @Test(
        "A reducer that fails is rolled back, also that of a plugin whose instances nothing asks for",
        arguments: [
            "",
            """
            static spin_self *create(spin_call *call, const spin_config *config) {
                (void)call;
                (void)config;
                static int something;
                return (spin_self *)&something;
            }
            static void destroy(spin_self *self) { (void)self; }
            SPIN_INSTANCE(create, destroy);
            """,
        ])
    func reducerThatFails_isRolledBack(instance: String) async throws {
        func library(_ answer: String) -> String {
            """
            #include "app.h"
            SPIN_PLUGIN("numbers", "\(answer.count)");
            \(instance)
            static spin_status reduce(spin_reduction *r, main_state *state, const main_event *event) {
                (void)r;
                (void)event;
                state->n += 1;
                return \(answer);
            }
            SPIN_REDUCER(reduce, main_state, main_event, "");
            """
        }
        let world = try SwapWorld(
            """
            [plugins.numbers]
            library = "./lib.so"
            [loops.main]
            state   = { n = 0 }
            events  = { tick = {} }
            reducer = "numbers:reduce"
            [loops.main.feedback.tick]
            effect  = "std:every"
            args    = ["duration('1ms')"]
            emit    = { event = "tick" }

            """, library("SPIN_OK"))
        defer { world.app.close() }
        let (run, later) = (world.app.start(observer: world.record), LaterReports())
        await world.record.steps(3)
        try world.build(library("-5"))
        try await world.swap("numbers", in: run, onReport: later.onReport)
        let report = try #require(await later.first())
        #expect(report.outcome == .rolledBack)
        #expect(report.reasons.first?.message.contains("reducer `reduce` answered -5") == true)
        await world.record.steps(world.record.steps.count + 3)
        run.stop()
        _ = await run.finished()
    }

    @Test func failureOfAnEffect_doesNotFailTheProbation() async throws {
        let failing = """
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("numbers", "2");
            static int32_t number(int32_t seed) { return seed * 0 - 7; }
            SPIN_EFFECT(int32_t, number, (int32_t seed), "");
            """
        let world = try SwapWorld(
            Self.manifest(until: "state.answer == 3", more: "fails-if = \"result < 0\""),
            SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(3)
        try world.build(failing)
        try await world.swap("numbers", in: run)
        await world.record.steps(world.record.steps.count + Probation.calls * 2)
        #expect(world.record.steps.last?.contains(#""answer":-1}"#) == true)
        try world.build(SwapWorld.plugin(3, version: "3"))
        try await world.swap("numbers", in: run)
        let end = await run.finished()
        #expect(end.outcome == .done)
        #expect(end.counters.rollBacks == 0)
    }

    @Test(arguments: ["", "instance = \"app\""])
    func instanceThatCrashes_givesWayToTheKeptOne_withTheStateThatItHad(plugin: String) async throws {
        let world = try SwapWorld(
            SensorSource.plugin("isolation = \"guarded\"\n" + plugin)
                + SensorSource.loop(until: "state.by == 3")
                + "on-error = { event = \"counted\", count = \"0\", by = \"0\" }\n",
            SensorSource(version: 1).text)
        defer { world.app.close() }
        let (run, later) = (world.app.start(observer: world.record), LaterReports())
        await world.record.steps(3)
        try world.build(SensorSource(version: 2, crashesAfter: 5).text)
        try await world.swap("sensor", in: run, onReport: later.onReport)
        let report = try #require(await later.first())
        #expect(report.outcome == .rolledBack, "\(report)")
        await world.record.steps(world.record.steps.count + 3)
        let steps = world.record.steps
        let before = steps.last { $0.hasPrefix("counted") && $0.contains(#""by":1} {"n""#) }
        #expect(before != nil)
        // It goes on where it was when it stopped.
        let counts = steps.filter { $0.contains(#","by":1} "#) }.compactMap {
            Int($0.dropFirst(#"counted{"count":"#.count).prefix { $0.isNumber })
        }
        #expect(counts == Array(1...counts.count))
        #expect(world.record.lines.filter { $0 == "start 1" }.count == 2)
        try world.build(SensorSource(version: 3).text)
        let next = try await world.swap("sensor", in: run)
        #expect(next.state == .carried)
        #expect(await run.finished().outcome == .done)
    }

    @Test func crashAfterTheProbation_isAFaultLikeAny() async throws {
        let world = try SwapWorld(
            SensorSource.plugin("isolation = \"guarded\"") + SensorSource.loop(until: "state.by == 3")
                + "on-error = { event = \"counted\", count = \"0\", by = \"0\" }\n",
            SensorSource(version: 1).text)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(3)
        try world.build(SensorSource(version: 2, crashesAfter: Probation.calls + 1).text)
        try await world.swap("sensor", in: run)
        // Nobody goes back to it any more.
        await world.record.line("destroy 1")
        while world.record.steps.last?.contains(#""by":0}"#) != true { await Task.yield() }
        try world.build(SensorSource(version: 3).text)
        let next = try await world.swap("sensor", in: run)
        #expect(next.state == .fresh)
        let end = await run.finished()
        #expect(end.outcome == .done)
        #expect(end.counters.rollBacks == 0)
    }
}
