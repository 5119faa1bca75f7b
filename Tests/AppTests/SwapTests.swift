import App
import Diagnostics
import Foundation
import Glibc
import HostLoop
import Manifest
import PluginHost
import TestSupport
import Testing

/// Plugins that are swapped while their app runs.
struct SwapTests {
    /// A folder with a manifest and `lib.so`, and the app that runs it.
    private struct World {
        let folder: TemporaryFolder
        let record = RecordedRun()
        let app: App

        init(_ manifest: String, _ library: String, compiler: String = "cc") throws {
            let folder = try TemporaryFolder()
            self.folder = folder
            let manifest = try RecordedRun.manifest(
                manifest, library: library, compiler: compiler, in: folder)
            app = try App(manifest, log: { _ in }, output: { _ in true })
        }

        /// Puts another library in the place of `lib.so`.
        func build(_ library: String, compiler: String = "cc") throws {
            let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
            _ = try CCompiler(compiler).sharedObject(
                library, in: folder, as: "new.so",
                flags: ["-I\(include)", "-I\(folder.root.path)", "-pthread"])
            // Safe because the paths are borrowed for the call.
            guard unsafe rename(folder.url("new.so").path, folder.url("lib.so").path) == 0 else {
                throw CocoaError(.fileWriteUnknown)
            }
        }
    }

    /// A plugin whose effect answers `number`.
    private static func plugin(_ number: Int, version: String, id: String = "numbers") -> String {
        """
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("\(id)", "\(version)");
        static int32_t number(int32_t seed) { return seed * 0 + \(number); }
        SPIN_EFFECT(int32_t, number, (int32_t seed), "");
        """
    }

    /// A loop that asks the plugin in each state, as fast as it can, until it answers `last`.
    private static func manifest(until last: Int, more: String = "", plugin: String = "") -> String {
        """
        [plugins.numbers]
        library = "./lib.so"
        \(plugin)
        [loops.main]
        state  = { n = 0, answer = 0 }
        events = { answered = { answer = "int" } }
        until  = "state.answer == \(last)"
        [loops.main.on]
        answered = { set = { n = "state.n + 1", answer = "event.answer" } }
        [loops.main.feedback.ask]
        effect  = "numbers:number"
        args    = ["state.n % 1000"]
        trigger = "state"
        emit    = { event = "answered", answer = "result" }
        \(more)

        """
    }

    @Test(arguments: ["", "executor = \"pool\"", "retry = 1"])
    func newCalls_areThoseOfTheNewVersion_andNoEventIsLost(more: String) async throws {
        let world = try World(Self.manifest(until: 2, more: more), Self.plugin(1, version: "1.0.0"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(10)
        try world.build(Self.plugin(2, version: "1.1.0"))
        let report = await world.app.swap("numbers", in: run)
        #expect(report.outcome == .swapped)
        #expect([report.from, report.to] == ["1.0.0", "1.1.0"])
        #expect(report.hash?.count == 16)
        #expect(report.pause != nil)
        #expect(report.reasons.isEmpty)
        let end = await run.end()
        #expect(end.outcome == .done)
        // Every event became a step that counts it, before and after.
        #expect(world.record.steps.last == #"answered{"answer":2} {"n":\#(end.counters.steps),"answer":2}"#)
        #expect(end.counters.withdrawn == 0)
        #expect(world.record.faults == [])
    }

    @Test func manySwaps_underLoad_loseNothing() async throws {
        let world = try World(Self.manifest(until: 3), Self.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        for round in 0..<20 {
            try world.build(Self.plugin(round % 2 == 0 ? 2 : 1, version: "\(round)"))
            let seen = world.record.steps.count
            let report = await world.app.swap("numbers", in: run)
            #expect(report.outcome == .swapped)
            await world.record.steps(seen + 2)
        }
        try world.build(Self.plugin(3, version: "20"))
        let report = await world.app.swap("numbers", in: run)
        try #require(report.outcome == .swapped, "\(report)")
        let end = await run.end()
        #expect(world.record.steps.last == #"answered{"answer":3} {"n":\#(end.counters.steps),"answer":3}"#)
    }

    @Test func swapsAskedForAtOnce_happenOneAfterTheOther() async throws {
        let world = try World(Self.manifest(until: 2), Self.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(Self.plugin(2, version: "2"))
        async let first = world.app.swap("numbers", in: run)
        async let second = world.app.swap("numbers", in: run)
        let outcomes = await [first, second].map(\.outcome)
        #expect(Set(outcomes) == [.swapped, .unchanged])
        #expect(await run.end().outcome == .done)
    }

    @Test func equalBytes_areNoOtherVersion() async throws {
        let world = try World(Self.manifest(until: 2), Self.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        let report = await world.app.swap("numbers", in: run)
        #expect(report.outcome == .unchanged)
        #expect(report.reasons.isEmpty)
        run.stop()
        _ = await run.end()
    }

    @Test(
        "what cannot take the place is refused, and the version that runs goes on",
        arguments: [
            (plugin(2, version: "2", id: "others"), "it calls itself `others`, not `numbers`"),
            (
                plugin(2, version: "2").replacing("int32_t", with: "int64_t"),
                "its effect `number` is `int64_t number(int64_t seed)`, not `int32_t number(int32_t seed)`"
            ),
            ("int number(int seed) { return 2; }", "has no effect `number`"),
            (
                plugin(2, version: "2").replacing("number(", with: "numbre(").replacing(
                    ", number,", with: ", numbre,"), "has no effect `number`"
            ),
            (
                instances(version: "2").replacing("spin_self *self, ", with: "").replacing(
                    "self->number", with: "0"), "it has instances, which the one that runs does not"
            ),
        ])
    func misfits(library: String, reason: String) async throws {
        let world = try World(Self.manifest(until: 2), Self.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(library)
        let report = await world.app.swap("numbers", in: run)
        #expect(report.outcome == .refused)
        #expect(report.reasons.map(\.message).joined().contains(reason), "\(report.reasons.map(\.message))")
        try world.build(Self.plugin(2, version: "3"))
        #expect(await world.app.swap("numbers", in: run).outcome == .swapped)
        #expect(await run.end().outcome == .done)
    }

    @Test(arguments: ["", "no library", "\u{7f}ELF and no more"])
    func filesThatAreNoLibraries_areRefused(content: String) async throws {
        let world = try World(Self.manifest(until: 2), Self.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.folder.write("lib.so", content)
        let report = await world.app.swap("numbers", in: run)
        #expect(report.outcome == .refused)
        #expect(report.reasons.count == 1)
        run.stop()
        #expect(await run.end().outcome != .done)
    }

    @Test func aFileThatIsGone_fails() async throws {
        let world = try World(Self.manifest(until: 2), Self.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try FileManager.default.removeItem(at: world.folder.url("lib.so"))
        let report = await world.app.swap("numbers", in: run)
        #expect(report.outcome == .failed)
        #expect(report.reasons.map(\.message).joined().contains("cannot read"))
        run.stop()
        _ = await run.end()
    }

    @Test func whatTheManifestDoesNotName_isRefused_withASuggestion() async throws {
        let world = try World(
            Self.manifest(
                until: 2, plugin: "[plugins.c]\nlibrary = \"libc.so.6\"\ndeclares = \"int abs(int n);\""),
            Self.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        let unknown = await world.app.swap("number", in: run)
        #expect(unknown.outcome == .refused)
        #expect(unknown.reasons.flatMap(\.help) == ["did you mean `numbers`?"])
        let unused = await world.app.swap("c", in: run)
        #expect(unused.reasons.map(\.message) == ["no loop calls anything of `c`"])
        run.stop()
        _ = await run.end()
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
        let world = try World(
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
        #expect(await world.app.swap("numbers", in: run).outcome == .swapped)
        let end = await run.end()
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

    @Test func aCallThatHasBegun_endsInItsVersion_andItsEventCounts() async throws {
        let gate = Pipe()
        let world = try World(
            Self.waitingManifest(gate.fileHandleForReading.fileDescriptor), Self.waiting(1, onThread: true))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(1)
        try world.build(Self.waiting(2, onThread: true))
        #expect(await world.app.swap("waiting", in: run).outcome == .swapped)
        gate.fileHandleForWriting.write(Data("xxxx".utf8))
        let end = await run.end()
        #expect(end.outcome == .done)
        #expect(world.record.steps.last?.contains(#""sum":12"#) == true, "\(world.record.steps)")
    }

    @Test func aLoopThatIsHeld_keepsItsVersion() async throws {
        let gate = Pipe()
        let world = try World(
            Self.waitingManifest(gate.fileHandleForReading.fileDescriptor), Self.waiting(1, onThread: false))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(1)
        try world.build(Self.waiting(2, onThread: false))
        let report = await world.app.swap("waiting", in: run, deadline: .milliseconds(1))
        #expect(report.outcome == .failed)
        #expect(
            report.reasons.map(\.message) == [
                "loop `main` did not come to the end of its step within 0.001 seconds"
            ])
        gate.fileHandleForWriting.write(Data("xxxx".utf8))
        _ = await run.end()
        #expect(world.record.steps.last?.contains(#""sum":11"#) == true, "\(world.record.steps)")
    }

    @Test func aPluginInQuarantine_isCalledAgain_inItsNewVersion() async throws {
        let crashing = Self.plugin(1, version: "1").replacing(
            "return seed * 0 + 1", with: "return *(volatile int32_t *)(intptr_t)(seed * 0 + 8)")
        let world = try World(
            Self.manifest(
                until: 2, more: "on-error = { event = \"answered\", answer = \"0\" }",
                plugin: "isolation = \"guarded\""),
            crashing)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.steps(2)
        try world.build(Self.plugin(2, version: "2"))
        #expect(await world.app.swap("numbers", in: run).outcome == .swapped)
        #expect(await run.end().outcome == .done)
    }

    @Test func aSwapDuringTheStop_comesToAnEnd() async throws {
        let world = try World(Self.manifest(until: 2), Self.plugin(1, version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(Self.plugin(2, version: "2"))
        async let report = world.app.swap("numbers", in: run)
        run.stop()
        _ = await run.end()
        #expect([.swapped, .failed].contains(await report.outcome))
    }

    @Test func versionsThatShareAVariable_areRefused() async throws {
        func library(_ number: Int) -> String {
            Self.plugin(number, version: "\(number)").replacing(
                "static int32_t number", with: "inline int32_t answer = \(number);\nstatic int32_t number"
            ).replacing("seed * 0 + \(number)", with: "seed * 0 + answer")
        }
        let world = try World(Self.manifest(until: 2), library(1), compiler: "c++")
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        try world.build(library(2), compiler: "c++")
        let report = await world.app.swap("numbers", in: run)
        #expect(report.outcome == .refused)
        #expect(
            report.reasons.map(\.message) == [
                "it would share `answer` with the one that runs: compile both with `-fno-gnu-unique`"
            ])
        run.stop()
        _ = await run.end()
    }

    /// A plugin with instances whose effect answers 1.
    private static func instances(version: String) -> String {
        """
        #include <spinhost/plugin.h>
        #include <stdlib.h>
        SPIN_PLUGIN("numbers", "\(version)");
        struct spin_self { int32_t number; };
        static spin_self *create(spin_call *call, const spin_config *config) {
            (void)call;
            (void)config;
            return calloc(1, sizeof(spin_self));
        }
        static void destroy(spin_self *self) { free(self); }
        SPIN_INSTANCE(create, destroy);
        static int32_t number(spin_self *self, int32_t seed) { return self->number + seed * 0 + 1; }
        SPIN_EFFECT(int32_t, number, (spin_self *self, int32_t seed), "");
        """
    }

    @Test func pluginsWithInstances_areRefused_onceTheyChange() async throws {
        let world = try World(Self.manifest(until: 2), Self.instances(version: "1"))
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        #expect(await world.app.swap("numbers", in: run).outcome == .unchanged)
        try world.build(Self.instances(version: "2"))
        let report = await world.app.swap("numbers", in: run)
        #expect(report.outcome == .refused)
        #expect(report.reasons.map(\.message) == ["`numbers` has instances"])
        run.stop()
        _ = await run.end()
    }
}
