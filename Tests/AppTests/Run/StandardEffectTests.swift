import App
import Foundation
import HostLoop
import TestSupport
import Testing

/// The effects of `std`, within this process.
@Suite(.timeLimit(.minutes(10))) struct StandardEffectTests {
    /// A loop that counts what an effect emits, and is done after so many.
    private static func counting(_ event: String, until count: Int, _ feedback: String) -> String {
        """
        [loops.main]
        state  = { n = 0 }
        events = { \(event) }
        until  = "state.n == \(count)"
        [loops.main.on]
        "*" = { set = { n = "state.n + 1" } }
        [loops.main.feedback.watch]
        \(feedback)

        """
    }

    @Test func afterEmitsOnceAtItsTime() async throws {
        let (run, clock) = (RecordedRun(), TellingClock())
        let app = try run.app(
            Self.counting(
                "elapsed = {}", until: 1, "effect = \"std:after\"\nargs = [\"duration('5s')\"]"),
            clock: clock)
        defer { app.close() }
        let running = app.start(observer: run)
        await clock.nextScheduled()
        clock.advance(by: .milliseconds(4999))
        #expect(run.steps == [#"{"n":0}"#])
        clock.advance(by: .milliseconds(1))
        #expect(await running.finished().outcome == .done)
        #expect(run.steps == [#"{"n":0}"#, #"elapsed{} {"n":1}"#])
    }

    @Test func everyEmitsEachTimeTheIntervalHasPassed() async throws {
        let (run, clock) = (RecordedRun(), TellingClock())
        let app = try run.app(
            Self.counting(
                "ticked = { count = \"int\" }", until: 2,
                "effect = \"std:every\"\nargs = [\"duration('1m')\"]"), clock: clock)
        defer { app.close() }
        let running = app.start(observer: run)
        await clock.nextScheduled()
        clock.advance(by: .seconds(60))
        await clock.nextScheduled()
        clock.advance(by: .seconds(60))
        #expect(await running.finished().outcome == .done)
        #expect(run.steps.suffix(2) == [#"ticked{"count":1} {"n":1}"#, #"ticked{"count":2} {"n":2}"#])
    }

    @Test func linesAreWhatAFileHas() async throws {
        let folder = try TemporaryFolder()
        let bytes =
            Data("one\r\n\nzw\u{f6}lf\n".utf8) + Data([0x61, 0xff, 0x00, 0x62, 0x0a]) + Data("last".utf8)
        try bytes.write(to: folder.url("text"))
        let run = RecordedRun()
        let end = try await run.run(
            Self.counting(
                "line = { text = \"string\" }, ended = { lines = \"int\" }", until: 6,
                "effect = \"std:lines\"\nargs = [\"'\(folder.url("text").path)'\"]"))
        #expect(end.outcome == .done)
        #expect(
            run.steps.dropFirst().map { String($0.prefix { $0 != " " }) } == [
                #"line{"text":"one"}"#, #"line{"text":""}"#, #"line{"text":"zwölf"}"#,
                "line{\"text\":\"a\u{fffd}\\u0000b\"}", #"line{"text":"last"}"#, #"ended{"lines":5}"#,
            ])
    }

    /// A call for each of many states is cancelled by the next: neither threads nor descriptors may pile up.
    @Test func cancelledCallsLeaveNothingBehind() async throws {
        let folder = try TemporaryFolder()
        let pipe = try folder.pipe("pipe").path
        let count = 300
        let run = RecordedRun()
        let end = try await run.run(
            """
            [loops.main]
            state  = { n = 0 }
            events = { next = {}, line = { text = "string" }, signalled = { count = "int" }, output = { text = "string" } }
            until  = "state.n == \(count)"
            on.next = { set = { n = "state.n + 1" } }
            [loops.main.feedback]
            lines  = { effect = "std:lines", args = ["state.n < 0 ? '' : '\(pipe)'"], trigger = "state" }
            follow = { effect = "std:follow", args = ["state.n < 0 ? '' : '\(pipe)-none'", "'end'"], trigger = "state" }
            exec   = { effect = "std:exec", args = ["['sleep', '1000', string(state.n)]"], when = "state.n % 50 == 0" }
            signal = { effect = "std:signal", args = ["'WINCH'"], trigger = "state" }
            count  = { effect = "lib:next", args = ["state.n"], emit = { event = "next" } }
            [plugins.lib]
            library = "./lib.so"
            declares = "int64_t next(int64_t n);"

            """, library: "#include <stdint.h>\nint64_t next(int64_t n) { return n; }\n")
        #expect(end.outcome == .done)
        // The last calls may still be ending, and other tests have such threads, too.
        let threads = try Self.names(of: "/proc/self/task", "comm").filter { $0.contains(" of std") }
        #expect(threads.count < count / 2)
        // Other tests have descriptors too: those of these calls are the pipe, and what tells of the file that is not there.
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(descriptors.count { $0 == pipe || $0.hasSuffix("inotify") } < count / 2)
    }

    private static func names(of folder: String, _ file: String) throws -> [String] {
        // A thread may end meanwhile.
        try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? String(contentsOfFile: "\(folder)/\($0)/\(file)", encoding: .utf8)
        }
    }

    @Test(arguments: [
        ("std:lines", #"["'/no/such/file'"]"#, "cannot open /no/such/file: No such file or directory"),
        ("std:lines", #"["'/'"]"#, "cannot read /: Is a directory"),
        (
            "std:follow", #"["'/no/such/file'", "'end'"]"#,
            "cannot watch the folder of /no/such/file: No such file or directory"
        ),
        (
            "std:follow", #"["'/dev/null'", "'end'"]"#,
            "cannot follow /dev/null: it is not a regular file; `lines` reads others"
        ),
        ("std:follow", #"["'/x'", "'middle'"]"#, "a file is followed from `start` or from `end`"),
        (
            "std:exec", #"["['/no/such/program', 'x']"]"#,
            "cannot start /no/such/program: No such file or directory"
        ),
        ("std:exec", #"["['/']"]"#, "cannot start /: Permission denied"),
        ("std:exec", #"["[]"]"#, "the command is empty: its first item names the program"),
        (
            "std:exec", #"["['a', 'b\\u0000c']"]"#,
            "an item of the command has a NUL, which no program can be given"
        ),
        ("std:signal", #"["'INT'"]"#, "the signal INT is not for apps: it stops the app"),
        ("std:signal", #"["'KILL'"]"#, "the signal KILL is not for apps: no process can catch it"),
        (
            "std:signal", #"["'SIGHUP'"]"#,
            "SIGHUP is not a signal that apps can have: write HUP, USR1, USR2, WINCH or another name without SIG"
        ),
        ("std:every", #"["duration('0s')"]"#, "the interval of `every` must be longer than zero"),
        ("std:after", #"["duration('-1s')"]"#, "the delay of `after` must not be negative"),
    ])
    func whatCannotBeDoneSaysWhy(_ effect: String, _ arguments: String, _ reason: String) async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.counting("none = {}", until: 1, "effect = \"\(effect)\"\nargs = \(arguments)"))
        #expect(end.counters.faults == 1)
        let name = effect.dropFirst(4)
        #expect(run.faults == ["main 0 feedback:watch: `\(name)` failed: \(reason)"])
    }
}
