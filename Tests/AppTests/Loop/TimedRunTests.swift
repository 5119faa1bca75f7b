import App
import Foundation
import TestSupport
import Testing

/// `debounce`, `delay`, `timeout`, and calls elsewhere that outlast what wanted them.
@Suite(.timeLimit(.minutes(10))) struct TimedRunTests {
    /// A loop that counts `n` to 3 at once, beside a feedback `held`.
    private static func counting(_ held: String, until: String = "false") -> String {
        """
        config = { pause = { type = "duration", initial = "2s" } }
        [plugins.lib]
        library = "./lib.so"
        [loops.main]
        state  = { n = 0, log = "" }
        events = { go = { n = "int" }, done = { n = "int" }, failed = { code = "int", text = "string" } }
        until  = "\(until)"
        [loops.main.on]
        go     = { set = { n = "event.n" } }
        done   = { set = { log = "state.log + string(event.n)" } }
        failed = { set = { log = "state.log + event.text" } }
        [loops.main.feedback]
        count = { effect = "lib:same", args = ["state.n + 1"], when = "state.n < 3", emit = { event = "go", n = "result" } }
        held  = { \(held) }

        """
    }

    private func start(_ manifest: String) throws -> (RecordedRun, PacedClock, AppRun) {
        let recorded = RecordedRun()
        let clock = PacedClock()
        let app = try recorded.app(manifest, plugin: CompiledPlugin.feedbacks.get(), clock: clock)
        let run = app.start(observer: recorded)
        return (recorded, clock, run)
    }

    @Test(arguments: [
        #"effect = "lib:same", args = ["state.n"], debounce = "2s", emit = { event = "done", n = "result" }"#,
        #"effect = "lib:same", args = ["event.n"], on = "go", debounce = "config.pause", emit = { event = "done", n = "result" }"#,
        #"effect = "lib:same", args = ["state.n"], trigger = "state", when = "state.log == ''", debounce = "duration('2s')", emit = { event = "done", n = "result" }"#,
    ])
    func debounce_runsForTheLastOfABurst(_ held: String) async throws {
        let (recorded, clock, run) = try start(Self.counting(held, until: "state.log != ''"))
        // One timer for each start, of which there are three for events and four for states.
        await clock.timers(held.contains("on =") ? 3 : 4)
        clock.advance(by: .seconds(2))
        #expect(await run.finished().outcome == .done)
        #expect(recorded.steps.last == #"done{"n":3} {"n":3,"log":"3"}"#)
    }

    @Test(arguments: ["loop", "pool", "queue"])
    func delay_keepsWhatTheRunBeganWith(_ executor: String) async throws {
        let (recorded, clock, run) = try start(
            Self.counting(
                #"""
                effect = "lib:same", args = ["state.n * 10"], trigger = "state", strategy = "skip-while-running", \#
                when = "state.log == ''", delay = "config.pause", executor = "\#(executor)", \#
                emit = { event = "done", n = "result + state.n" }
                """#, until: "state.log != ''"))
        await recorded.steps(4)
        await clock.timers(1)
        clock.advance(by: .seconds(2))
        #expect(await run.finished().outcome == .done)
        #expect(recorded.steps.last == #"done{"n":0} {"n":3,"log":"0"}"#)
    }

    @Test(arguments: ["loop", "pool"])
    func retry_waitsTwiceAsLongEachTime_upToALimit(_ executor: String) async throws {
        let (recorded, clock, run) = try start(
            Self.counting(
                #"""
                effect = "lib:attempt", args = [6], executor = "\#(executor)", \#
                retry = { times = 9, delay = "1s", longest = "5s" }, emit = { event = "done", n = "result" }
                """#, until: "state.log != ''"))
        let waits = [1, 2, 4, 5, 5].map(Duration.seconds)
        for (index, wait) in waits.enumerated() {
            await clock.timers(index + 1)
            clock.advance(by: wait)
        }
        #expect(await run.finished().outcome == .done)
        #expect(recorded.steps.last?.hasPrefix(#"done{"n":6}"#) == true)
        // The timers of the end follow.
        #expect(Array(clock.waits.prefix(waits.count)) == waits)
    }

    @Test func timeout_endsAnEffectThatEmits() async throws {
        let (recorded, clock, run) = try start(
            Self.counting(
                #"effect = "lib:hang", timeout = "5s", on-error = { event = "failed", code = "error.code", text = "error.message" }"#,
                until: "state.log != ''"))
        await recorded.steps(4)
        await clock.timers(1)
        clock.advance(by: .seconds(5))
        let end = await run.finished()
        #expect(end.outcome == .done && end.abandoned.isEmpty)
        #expect(
            recorded.steps.last?.hasPrefix(
                #"failed{"code":-1010,"text":"`hang` did not end within 5s"}"#) == true)
    }

    @Test func timeoutWithoutOnError_isAFault() async throws {
        let (recorded, clock, run) = try start(Self.counting(#"effect = "lib:hang", timeout = "5s""#))
        await recorded.steps(4)
        await clock.timers(1)
        clock.advance(by: .seconds(5))
        #expect(await run.finished().counters.faults == 1)
        #expect(recorded.faults == ["main 3 feedback:held: `hang` did not end within 5s"])
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"), arguments: ["pool", "queue"])
    func callThatReturnsAfterItsTimeout_isDropped(_ executor: String) async throws {
        let pipe = Pipe()
        let (recorded, clock, run) = try start(
            Self.counting(
                #"""
                effect = "lib:wait_for", args = [\#(pipe.fileHandleForReading.fileDescriptor), 7], \#
                executor = "\#(executor)", timeout = "5s", emit = { event = "done", n = "result" }, \#
                on-error = { event = "failed", code = "error.code", text = "'late'" }
                """#))
        await recorded.steps(4)
        await clock.timers(1)
        clock.advance(by: .seconds(5))
        await recorded.steps(5)
        try pipe.fileHandleForWriting.write(contentsOf: Data([0]))
        let end = await run.finished()
        #expect(end.outcome == .nothingLeft(unreached: ["main"]))
        #expect(recorded.steps.last == #"failed{"code":-1010,"text":"late"} {"n":3,"log":"late"}"#)
        #expect(end.counters.drops == 1 && end.counters.faults == 0)
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func callThatTimesOut_isTriedAgain_whenItHasReturned() async throws {
        let pipe = Pipe()
        let (recorded, clock, run) = try start(
            Self.counting(
                #"""
                effect = "lib:wait_for", args = [\#(pipe.fileHandleForReading.fileDescriptor), 7], \#
                executor = "pool", timeout = "5s", retry = 1, emit = { event = "done", n = "result" }
                """#, until: "state.log != ''"))
        await recorded.steps(4)
        await clock.timers(1)
        clock.advance(by: .seconds(5))
        try pipe.fileHandleForWriting.write(contentsOf: Data([0, 0]))
        let end = await run.finished()
        #expect(end.outcome == .done)
        #expect(recorded.steps.last == #"done{"n":7} {"n":3,"log":"7"}"#)
        #expect(end.counters.drops == 1 && end.counters.faults == 0)
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"), arguments: ["pool", "queue"])
    func loopContinues_whileACallOnAnotherExecutorBlocks(_ executor: String) async throws {
        let pipe = Pipe()
        let recorded = RecordedRun()
        let end = try await recorded.run(
            Self.counting(
                #"""
                effect = "lib:wait_for", args = [\#(pipe.fileHandleForReading.fileDescriptor), 7], \#
                executor = "\#(executor)", emit = { event = "done", n = "result + state.n" }
                """#, until: "state.log != ''")
                    + #"""
                    wake = { effect = "lib:wake", args = [\#(pipe.fileHandleForWriting.fileDescriptor)], when = "state.n == 3" }
                    """#, plugin: CompiledPlugin.feedbacks.get())
        #expect(end.outcome == .done)
        // The state that the run began with.
        #expect(recorded.steps.last == #"done{"n":7} {"n":3,"log":"7"}"#)
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"), arguments: ["pool", "queue"])
    func answerOfACallThatWasCancelled_isDropped(_ executor: String) async throws {
        let (begun, held) = (Pipe(), Pipe())
        let ends = [begun.fileHandleForReading, begun.fileHandleForWriting].map(\.fileDescriptor)
        let (reader, writer) = (
            held.fileHandleForReading.fileDescriptor, held.fileHandleForWriting.fileDescriptor
        )
        let recorded = RecordedRun()
        // The state changes when the call has begun, and then lets it and the next one go on.
        let end = try await recorded.run(
            #"""
            [plugins.lib]
            library = "./lib.so"
            [loops.main]
            state  = { n = 0, log = "" }
            events = { go = { n = "int" }, done = { n = "int" } }
            until  = "state.log != ''"
            [loops.main.on]
            go   = { set = { n = "event.n" } }
            done = { set = { log = "state.log + string(event.n)" } }
            [loops.main.feedback]
            held  = { effect = "lib:begin_and_wait", args = [\#(ends[1]), \#(reader), "state.n"], executor = "\#(executor)", emit = { event = "done", n = "result" } }
            watch = { effect = "lib:wait_for", args = [\#(ends[0]), 1], executor = "pool", emit = { event = "go", n = "result" } }
            wake  = { effect = "lib:wake", args = [\#(writer)], when = "state.n == 1" }
            more  = { effect = "lib:wake", args = [\#(writer)], when = "state.n == 1" }
            """#, plugin: CompiledPlugin.feedbacks.get())
        #expect(end.outcome == .done)
        #expect(recorded.steps.last == #"done{"n":1} {"n":1,"log":"1"}"#)
        #expect(end.counters.drops == 1)
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func callThatBlocks_doesNotKeepTheAppFromStopping() async throws {
        let (begun, pipe) = (Pipe(), Pipe())
        let writer = begun.fileHandleForWriting.fileDescriptor
        let (recorded, clock, run) = try start(
            Self.counting(
                #"""
                effect = "lib:begin_and_wait", args = [\#(writer), \#(pipe.fileHandleForReading.fileDescriptor), 7], \#
                executor = "queue", emit = { event = "done", n = "result" }
                """#))
        await recorded.steps(4)
        var reading = pollfd(fd: begun.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        // Safe because the request is a local, which the call writes.
        await waitUntil { unsafe poll(&reading, 1, 0) == 1 }
        run.stop()
        await clock.timers(1)
        clock.advance(by: AppRun.deadline)
        let end = await run.finished()
        #expect(end.outcome == .stopped && end.abandoned == ["held"])
        try pipe.fileHandleForWriting.write(contentsOf: Data([0]))
    }
}
