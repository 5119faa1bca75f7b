import App
import Diagnostics
import Foundation
import HostLoop
import TestSupport
import Testing

/// Crashes and C++ exceptions in the life of instances, in apps that run.
@Suite(.timeLimit(.minutes(10))) struct InstanceFaultTests {
    private static let crash = "crashed with SIGSEGV at address 0x0"

    private static func fixture(_ name: String, compiler: String = "cc") -> Result<CompiledPlugin, any Error>
    {
        Result {
            let file = Project.root.appendingPathComponent("Tests/Fixtures/plugins/\(name)")
            return try CompiledPlugin(try String(contentsOf: file, encoding: .utf8), compiler: compiler)
        }
    }

    private static let sensor = fixture("instances.c")

    /// Plugins `first`, `second` and `third` of one library, each of a loop of its own that counts to one.
    private static func manifest(_ function: String, of crashing: String) -> String {
        ["first", "second", "third"].map { name in
            """
            [plugins.\(name)]
            library   = "./lib.so"
            isolation = "guarded"
            config    = { name = "\(name)", crashes = "\(name == crashing ? function : "")" }
            [loops.uses_\(name)]
            state  = { n = 0 }
            events = { counted = { n = "int" } }
            until  = "state.n > 0"
            on.counted = { set = { n = "event.n" } }
            feedback.count = { effect = "\(name):count", emit = { event = "counted", n = "result" } }

            """
        }.joined()
    }

    @Test func crashInCreate_makesTheAppUnavailable() async throws {
        let run = RecordedRun()
        let end = try await run.run(Self.manifest("create", of: "second"), plugin: try Self.sensor.get())
        #expect(end.outcome == .unavailable)
        #expect(end.failure?.message == "`sensor` could not be created: `create` \(Self.crash)")
        #expect(end.failure?.code.rawValue == "P060")
        #expect(end.failure?.notes == ["in the instance of loop `uses_second`"])
        #expect(run.steps == [])
        #expect(run.lines == ["create first", "create second", "destroy first"])
        #expect(
            run.logged == ["sensor 2: function `create` \(Self.crash); the plugin is not called any more"])
    }

    @Test func crashInStart_stopsAndFreesTheOthers_inReverse() async throws {
        let run = RecordedRun()
        let end = try await run.run(Self.manifest("start", of: "second"), plugin: try Self.sensor.get())
        #expect(end.outcome == .unavailable)
        #expect(end.failure?.message == "`sensor` could not be started: `start` \(Self.crash)")
        #expect(run.steps == [])
        #expect(
            run.lines == [
                "create first", "create second", "create third", "start first", "start second", "stop first",
                "destroy third", "destroy first",
            ])
    }

    @Test(arguments: [
        ("stop", ["stop third", "stop second", "stop first", "destroy third", "destroy first"]),
        (
            "destroy",
            ["stop third", "stop second", "stop first", "destroy third", "destroy second", "destroy first"]
        ),
    ])
    func crashAtTheEnd_isReported_andTheRunEnds(_ function: String, _ last: [String]) async throws {
        let run = RecordedRun()
        let end = try await run.run(Self.manifest(function, of: "second"), plugin: try Self.sensor.get())
        #expect(end.outcome == .done)
        #expect(end.counters.steps == 3)
        #expect(end.abandoned == [])
        #expect(run.lines.suffix(last.count) == last[...])
        #expect(
            run.logged == [
                "sensor 2: function `\(function)` \(Self.crash); the plugin is not called any more"
            ])
    }

    @Test func crashOnAThreadOfTheHost_isReported_andTheRunEnds() async throws {
        let run = RecordedRun()
        let text = Self.manifest("work", of: "first").replacing("first:count", with: "first:count_later")
            .replacing(
                "count_later\", emit = { event = \"counted\", n = \"result\" } }", with: "count_later\" }")
        let end = try await run.run(text, plugin: try Self.sensor.get())
        #expect(end.outcome == .nothingLeft(unreached: ["uses_first"]))
        #expect(
            run.logged == [
                "sensor 2: a function given to `spin_work` \(Self.crash); the plugin is not called any more"
            ])
        #expect(run.faults.count == 1)
        #expect(run.lines.suffix(4) == ["stop third", "stop second", "destroy third", "destroy second"])
    }

    @Test func exceptionInStart_makesTheAppUnavailable() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.thrower]
            library = "./lib.so"
            [loops.main]
            state = { n = 0 }
            feedback.use = { effect = "thrower:use" }

            """, plugin: try Self.fixture("throwing_life.cpp", compiler: "c++").get())
        #expect(end.outcome == .unavailable)
        #expect(
            end.failure?.message
                == "`thrower` could not be started: `start` threw a C++ exception: `no start`")
        #expect(run.logged == ["thrower 2: `destroy` threw a C++ exception: `no end`"])
    }
}
