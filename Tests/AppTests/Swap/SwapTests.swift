import App
import Diagnostics
import Foundation
import HostLoop
import Manifest
import PluginHost
import Records
import TestSupport
import Testing

/// Plugins that are swapped while their app runs.
@Suite(.timeLimit(.minutes(10))) struct SwapTests {
    @Test(arguments: ["", "executor = \"pool\"", "retry = 1"])
    func newCalls_areThoseOfTheNewVersion_andNoEventIsLost(more: String) async throws {
        let world = try SwapWorld(
            SwapWorld.manifest(until: 2, more: more), SwapWorld.plugin(1, version: "1.0.0"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(10)
        try world.build(SwapWorld.plugin(2, version: "1.1.0"))
        let report = try await world.swap("numbers", in: run)
        #expect([report.from, report.to] == ["1.0.0", "1.1.0"])
        #expect(report.hash?.count == 16)
        #expect(report.pause != nil)
        #expect(report.reasons.isEmpty)
        let end = await run.finished()
        #expect(end.outcome == .done)
        // Every event became a step that counts it, before and after.
        #expect(world.record.steps.last == #"answered{"answer":2} {"n":\#(end.counters.steps),"answer":2}"#)
        #expect(end.counters.withdrawn == 0)
        #expect(world.record.faults == [])
    }

    @Test func manySwaps_underLoad_loseNothing() async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 3), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        for round in 0..<20 {
            try world.build(SwapWorld.plugin(round % 2 == 0 ? 2 : 1, version: "\(round)"))
            let seen = world.record.steps.count
            try await world.swap("numbers", in: run)
            await world.record.steps(seen + 2)
        }
        try world.build(SwapWorld.plugin(3, version: "20"))
        try await world.swap("numbers", in: run)
        let end = await run.finished()
        #expect(world.record.steps.last == #"answered{"answer":3} {"n":\#(end.counters.steps),"answer":3}"#)
    }

    @Test func swapsAskedForAtOnce_happenOneAfterTheOther() async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 2), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(SwapWorld.plugin(2, version: "2"))
        async let first = world.app.swap("numbers", in: run, deadline: .generous)
        async let second = world.app.swap("numbers", in: run, deadline: .generous)
        let outcomes = await [first, second].map(\.outcome)
        #expect(Set(outcomes) == [.swapped, .unchanged])
        #expect(await run.finished().outcome == .done)
    }

    @Test func reducers_areSwappedToo() async throws {
        func library(_ step: Int) -> String {
            """
            #include "app.h"
            SPIN_PLUGIN("numbers", "\(step)");
            static spin_status reduce(spin_reduction *r, main_state *state, const main_event *event) {
                (void)r;
                (void)event;
                state->n += 1;
                state->by = \(step);
                return SPIN_OK;
            }
            SPIN_REDUCER(reduce, main_state, main_event, "");
            static int32_t number(void) { return 0; }
            SPIN_EFFECT(int32_t, number, (void), "");
            """
        }
        let world = try SwapWorld(
            """
            [plugins.numbers]
            library = "./lib.so"
            [loops.main]
            state   = { n = 0, by = 0 }
            events  = { asked = {} }
            until   = "state.by == 5"
            reducer = "numbers:reduce"
            [loops.main.feedback.ask]
            effect  = "numbers:number"
            trigger = "state"
            emit    = { event = "asked" }

            """, library(1))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(5)
        try world.build(library(5))
        try await world.swap("numbers", in: run)
        let end = await run.finished()
        #expect(end.outcome == .done)
        #expect(world.record.steps.last == #"asked{} {"n":\#(end.counters.steps),"by":5}"#)
    }

    /// A plugin whose effect answers once a byte comes through a pipe: on a thread of its own, or before it returns.
    private static func waiting(_ number: Int, onThread: Bool) -> String {
        """
        #include <spinhost/plugin.h>
        #include <pthread.h>
        #include <stdlib.h>
        #include <unistd.h>
        SPIN_PLUGIN("waiting", "\(number)");
        SPIN_EMITTER(answered, (int32_t, answer));
        struct job { spin_call *call; int32_t gate; };
        static void *work(void *user) {
            struct job *job = user;
            char byte;
            if (read(job->gate, &byte, 1) == 1)
                answered(job->call, \(number));
            spin_finish(job->call);
            free(job);
            return NULL;
        }
        static void ask(spin_call *call, int32_t gate) {
            struct job *job = malloc(sizeof *job);
            *job = (struct job){call, gate};
            \(onThread ? "pthread_t thread; pthread_create(&thread, NULL, work, job); pthread_detach(thread);" : "work(job);")
        }
        SPIN_EFFECT(void, ask, (spin_call *call, int32_t gate), "");
        """
    }

    private static func waitingManifest(_ gate: Int32) -> String {
        """
        [plugins.waiting]
        library = "./lib.so"
        [loops.main]
        state  = { asks = 0, sum = 0, gate = \(gate) }
        events = { answered = { answer = "int" } }
        until  = "state.asks == 2"
        [loops.main.on]
        answered = { set = { asks = "state.asks + 1", sum = "state.sum * 10 + event.answer" } }
        [loops.main.feedback.ask]
        effect   = "waiting:ask"
        args     = ["state.gate"]
        trigger  = "state"
        strategy = "continue-on-new-state"
        emits.answered = { event = "answered", answer = "value.answer" }

        """
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func aCallThatHasBegun_endsInItsVersion_andItsEventCounts() async throws {
        let gate = Pipe()
        let world = try SwapWorld(
            Self.waitingManifest(gate.fileHandleForReading.fileDescriptor), Self.waiting(1, onThread: true))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(1)
        try world.build(Self.waiting(2, onThread: true))
        try await world.swap("waiting", in: run)
        gate.fileHandleForWriting.write(Data("xxxx".utf8))
        let end = await run.finished()
        #expect(end.outcome == .done)
        #expect(world.record.steps.last?.contains(#""sum":12"#) == true, "\(world.record.steps)")
    }

    @Test(.inThisProcess("a call in a worker holds up no loop")) func aLoopThatIsHeld_keepsItsVersion()
        async throws
    {
        let gate = Pipe()
        let world = try SwapWorld(
            Self.waitingManifest(gate.fileHandleForReading.fileDescriptor), Self.waiting(1, onThread: false))
        defer { world.app.close() }
        // A loop that is held holds a thread of all loops.
        try world.compile(Self.waiting(2, onThread: false))
        let run = world.app.start(observer: world.record)
        await world.record.steps(1)
        try world.install()
        let report = await world.app.swap("waiting", in: run, deadline: .milliseconds(1))
        #expect(report.outcome == .failed)
        #expect(
            report.reasons.map(\.message) == [
                "loop `main` did not reach the end of its step within 0.001 seconds"
            ])
        gate.fileHandleForWriting.write(Data("xxxx".utf8))
        _ = await run.finished()
        #expect(world.record.steps.last?.contains(#""sum":11"#) == true, "\(world.record.steps)")
    }

    @Test func aPluginInQuarantine_isCalledAgain_inItsNewVersion() async throws {
        let crashing = SwapWorld.plugin(1, version: "1").replacing(
            "return seed * 0 + 1", with: "return *(volatile int32_t *)(intptr_t)(seed * 0 + 8)")
        let world = try SwapWorld(
            SwapWorld.manifest(
                until: 2, more: "on-error = { event = \"answered\", answer = \"0\" }",
                plugin: "isolation = \"guarded\""),
            crashing)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        try world.build(SwapWorld.plugin(2, version: "2"))
        try await world.swap("numbers", in: run)
        #expect(await run.finished().outcome == .done)
    }

    @Test(arguments: ["inline", "guarded"], [true, false])
    func pointers_areClosedByTheVersionThatOpenedThem(isolation: String, byTheApp: Bool) async throws {
        func library(_ version: Int, in folder: TemporaryFolder) -> String {
            """
            #include <stdint.h>
            #include <stdio.h>
            #include <stdlib.h>
            struct handle { long number; };
            static void note(const char *what, long number) {
                FILE *file = fopen("\(folder.url("log").path)", "a");
                fprintf(file, "%s %ld by \(version)\\n", what, number);
                fclose(file);
            }
            struct handle *open_one(int64_t number) {
                struct handle *made = malloc(sizeof *made);
                made->number = number;
                note("open", number);
                return made;
            }
            int64_t close_one(struct handle *handle) { note("close", handle->number); free(handle); return 1; }
            """
        }
        let manifest = """
            [plugins.numbers]
            library   = "./lib.so"
            isolation = "\(isolation)"
            release   = "close_one"
            declares  = "struct handle; struct handle *open_one(int64_t number); int64_t close_one(struct handle *handle);"
            [loops.main]
            state  = { n = 1, first = { type = "pointer" }, second = { type = "pointer" }, closes = false, closed = 0 }
            events = { opened = { handle = "pointer" }, next = { closes = "bool" }, closed = {}, end = {} }
            until  = "state.n == 3"
            [loops.main.on]
            opened = { set = { second = "state.first", first = "event.handle" } }
            next   = { set = { n = "2", closes = "event.closes" } }
            closed = { set = { closed = "1" } }
            end    = { set = { n = "3" } }
            [loops.main.feedback.open]
            effect = "numbers:open_one"
            args   = ["state.n"]
            when   = "state.n < 3"
            emit   = { event = "opened", handle = "result" }
            [loops.main.feedback.close]
            effect = "numbers:close_one"
            args   = ["state.second"]
            when   = "state.closes && state.closed == 0 && state.second != null"
            emit   = { event = "closed" }

            """
        let folder = try TemporaryFolder()
        let world = try SwapWorld(manifest, library(1, in: folder))
        defer { world.app.close() }
        let port = AppPort(world.app.manifest, statesCame: {})
        let run = world.app.makeRun(observer: world.record, port: port)
        run.start()
        await world.record.steps(2)
        try world.build(library(2, in: folder))
        try await world.swap("numbers", in: run)
        #expect(world.app.replacedLibraries.inUse == 1)
        let model = world.app.manifest.loops[0]
        func send(_ event: String, _ fields: [(String, Value)] = []) throws {
            let index = try #require(model.events.firstIndex { $0.name == event })
            let payload = try Record(model.events[index].type, jsonValue: .record(fields))
            #expect(try port.send(event: index, payload: payload, toLoop: 0) == .queued)
        }
        try send("next", [("closes", .bool(byTheApp))])
        await world.record.steps(byTheApp ? 5 : 4)
        try send("end")
        let end = await run.finished()
        #expect(end.outcome == .done)
        // The version that had opened one is unmapped when it has closed it.
        #expect(end.counters.replaced.unmapped == 1, "\(end.counters.replaced)")
        let log = try String(contentsOf: folder.url("log"), encoding: .utf8).split(separator: "\n").map(
            String.init)
        #expect(log.sorted() == ["close 1 by 1", "close 2 by 2", "open 1 by 1", "open 2 by 2"])
        #expect(world.record.faults == [])
    }

    @Test func aSwapDuringTheStop_comesToAnEnd() async throws {
        let world = try SwapWorld(SwapWorld.manifest(until: 2), SwapWorld.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(SwapWorld.plugin(2, version: "2"))
        async let report = world.app.swap("numbers", in: run, deadline: .generous)
        run.stop()
        _ = await run.finished()
        #expect([.swapped, .failed].contains(await report.outcome))
    }
}
