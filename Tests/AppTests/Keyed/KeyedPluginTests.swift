import App
import Foundation
import Diagnostics
import HostLoop
import HostLoopTesting
import Manifest
import Records
import TestSupport
import Testing

/// Plugins and manifests of loops with a key.
@Suite(.timeLimit(.minutes(10))) struct KeyedPluginTests {
    /// A native reducer gets the state with the key, and may not change it.
    @Test func aNativeReducer_cannotChangeTheKey() async throws {
        let world = try KeyedWorld(
            """
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            key     = "int"
            state   = { n = 0 }
            events  = { add = { n = "int" }, rename = { n = "int" } }
            reducer = "lib:reduce"

            """,
            library: """
                #include "app.h"
                SPIN_PLUGIN("lib", "1");
                static spin_status reduce(spin_reduction *r, main_state *state, const main_event *event) {
                    (void)r;
                    if (event->tag == MAIN_EVENT_ADD) state->n += event->as.add.n * state->key;
                    else state->key = event->as.rename.n;
                    return SPIN_OK;
                }
                SPIN_REDUCER(reduce, main_state, main_event, "");

                """)
        for key in [2, 3] as [Int64] {
            try world.send("add", [("n", .int(5))], to: .int(key))
            try world.send("rename", [("n", .int(9))], to: .int(key))
            try world.send("add", [("n", .int(1))], to: .int(key))
        }
        await world.record.steps(6)
        #expect(try world.state(2) == #"{"key":2,"n":12}"# && world.state(3) == #"{"key":3,"n":18}"#)
        #expect(
            world.record.faults.count == 2
                && world.record.faults.allSatisfy { $0.contains("has changed the key") })
        #expect(await world.end().counters.steps == 4)
    }

    /// An effect that holds the executor of all instances is known when the app ends.
    @Test func anEffectThatHangs_isAbandonedAtTheEnd() async throws {
        let folder = try TemporaryFolder()
        let gate = folder.url("gate")
        let clock = ManualClock()
        let world = try KeyedWorld(
            """
            config = { gate = "\(gate.path)" }
            [loops.item]
            key    = "int"
            events = { go = {} }
            on.go  = {}
            [loops.item.feedback.hang]
            on     = "go"
            effect = "lib:wait_for"
            args   = ["config.gate"]
            [plugins.lib]
            library = "./lib.so"

            """,
            library: """
                #include <spinhost/plugin.h>
                #include <unistd.h>
                SPIN_PLUGIN("lib", "1");
                static void wait_for(const char *path) { while (access(path, F_OK) < 0) usleep(1000); }
                SPIN_EFFECT(void, wait_for, (const char *path), "");

                """, clock: clock)
        for key in [1, 2, 3] as [Int64] { try world.send("go", to: .int(key)) }
        while !world.run.running.contains("hang") { await Task.yield() }
        world.run.stop()
        async let end = world.run.finished()
        while clock.timerCount == 0 { await Task.yield() }
        clock.advance(by: AppRun.deadline)
        clock.advance(by: AppRun.deadline)
        #expect(await end.abandoned.contains("hang"))
        try folder.write("gate", "")
    }

    @Test func aSwap_reachesAllInstancesAtOnce() async throws {
        let world = try SwapWorld(
            """
            [plugins.numbers]
            library = "./lib.so"
            [loops.item]
            key    = "int"
            state  = { asked = 0, answer = 0 }
            events = { ask = {}, answered = { answer = "int" } }
            on.ask = { set = { asked = "state.asked + 1" } }
            on.answered = { set = { answer = "event.answer" } }
            [loops.item.feedback.number]
            on     = "ask"
            effect = "numbers:number"
            args   = ["state.asked"]
            emit   = { event = "answered", answer = "result" }

            """, SwapWorld.plugin(1, version: "1.0.0"))
        defer { world.app.close() }
        let port = AppPort(world.app.manifest, statesCame: {})
        let run = world.app.makeRun(observer: world.record, port: port)
        run.start()
        func ask() throws {
            let payload = Record(world.app.manifest.loops[0].events[0].type)
            for key in 0..<50 {
                _ = try port.send(event: 0, payload: payload, to: .int(Int64(key)), ofLoop: 0)
            }
        }
        func answers() throws -> Set<Int64> {
            Set(
                try port.page(ofLoop: 0, after: nil, atMost: 100).loops.compactMap {
                    if case .int(let answer)? = $0.state["answer"] { answer } else { nil }
                })
        }
        try ask()
        await world.record.until { $0.count { $0.hasPrefix("answered") } == 50 }
        #expect(try answers() == [1])
        try world.build(SwapWorld.plugin(2, version: "1.1.0"))
        #expect(try await world.swap("numbers", in: run).outcome == .swapped)
        try ask()
        await world.record.until { $0.count { $0.hasPrefix("answered") } == 100 }
        #expect(try answers() == [2])
        run.stop()
        #expect(await run.finished().outcome == .stopped)
    }
}
