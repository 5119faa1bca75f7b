import Foundation
import TestSupport
import Testing

/// `std:exec` and `std:signal` with real programs and signals; `FollowTests` has `std:follow`.
@Suite(.timeLimit(.minutes(10))) struct StandardEffectTests {
    /// Prints what `exec` emits.
    private static func exec(_ effect: String, _ arguments: String) -> String {
        """
        [loops.main]
        state  = { ended = false }
        events = { output = { text = "string" }, error_output = { text = "string" }, exited = { code = "i32", signal = "i32" } }
        until  = "state.ended"
        on.output = {}
        on.error_output = {}
        on.exited = { set = { ended = "true" } }
        [loops.main.feedback]
        run    = { effect = "std:\(effect)", args = \(arguments) }
        output = { effect = "std:print", on = "output", args = ["'out ' + event.text"] }
        errors = { effect = "std:print", on = "error_output", args = ["'err ' + event.text"] }
        exited = { effect = "std:print", on = "exited", args = ["'exited ' + string(event.code) + ' ' + string(event.signal)"] }

        """
    }

    @Test(arguments: [
        (
            "exec", #"["['printf', '%s\\n', 'a b', '$HOME; *', '']"]"#,
            "out a b\nout $HOME; *\nout \nexited 0 0\n"
        ),
        ("exec", #"["['sh', '-c', 'echo one; exit 3']"]"#, "out one\nexited 3 0\n"),
        ("exec", #"["['sh', '-c', 'kill -KILL $$']"]"#, "exited -1 9\n"),
        ("exec", #"["['sh', '-c', 'printf wrong >&2']"]"#, "err wrong\nexited 0 0\n"),
        // Standard input is empty, and no descriptor of the host is left; `ls` itself has one open.
        ("exec", #"["['sh', '-c', 'cat; ls /proc/self/fd | wc -l']"]"#, "out 4\nexited 0 0\n"),
        // No signal is blocked or ignored; the C library keeps 32 and 33 for itself.
        (
            "exec", #"["['grep', '-cE', '^Sig(Blk|Ign):.*[08]0000000$', '/proc/self/status']"]"#,
            "out 2\nexited 0 0\n"
        ),
        ("exec_input", #"["['tr', 'a-z', 'A-Z']", "'one\\ntwo'"]"#, "out ONE\nout TWO\nexited 0 0\n"),
        ("exec_input", #"["['cat']", "''"]"#, "exited 0 0\n"),
        // A program need not read what it is given.
        ("exec_input", #"["['true']", "'x'"]"#, "exited 0 0\n"),
        (
            "exec_input",
            #"["['wc', '-c']", "'xxxxxxxxxx'.replace('x', 'yyyyyyyyyy').replace('y', 'zzzzzzzzzz').replace('z', 'vvvvvvvvvv').replace('v', 'wwwwwwwwww')"]"#,
            "out 100000\nexited 0 0\n"
        ),
    ])
    func aProgramRuns(_ effect: String, _ arguments: String, _ expected: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", Self.exec(effect, arguments))
        let outcome = try Spinhost.run(in: folder)
        #expect(outcome.output == expected)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    /// The pipe has no writer any more when every process of the group has gone.
    @Test(arguments: ["", "trap '' TERM; "])
    func stoppingTheAppEndsTheWholeGroup(_ trap: String) throws {
        let folder = try TemporaryFolder()
        let pipe = try folder.pipe("pipe")
        let script = "exec 9>pipe; \(trap)sleep 1000 & echo started; wait; wait; sleep 1000"
        try folder.write(
            "app.toml",
            Self.exec("exec", #"["['sh', '-c', config.script]"]"#) + "[config]\nscript = \"\(script)\"\n")
        let reader = Process()
        reader.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        reader.arguments = ["300", "cat", pipe.path]
        try reader.run()
        let spinhost = try RunningProgram(["--manifest", folder.url("app.toml").path], in: folder.root)
        #expect(spinhost.nextLine() == "out started")
        kill(spinhost.identifier, SIGTERM)
        let (status, errors) = spinhost.end()
        #expect(status == 0, "\(errors)")
        reader.waitUntilExit()
        #expect(reader.terminationStatus == 0)
    }

    @Test func aHundredProgramsNeedOneThread() throws {
        let folder = try TemporaryFolder()
        let effects = (0..<100).map {
            #"run\#($0) = { effect = "std:exec", args = ["['sh', '-c', 'echo started; exec sleep 1000']"], emits.error_output = [] }"#
        }
        try folder.write(
            "app.toml",
            """
            [loops.main]
            state  = { n = 0 }
            events = { output = { text = "string" }, exited = { code = "i32", signal = "i32" } }
            on.output = { set = { n = "state.n + 1" } }
            on.exited = {}
            [loops.main.feedback]
            print = { effect = "std:print", when = "state.n == 100", args = ["'ready'"] }
            \(effects.joined(separator: "\n"))

            """)
        let spinhost = try RunningProgram(["--manifest", folder.url("app.toml").path])
        #expect(spinhost.nextLine() == "ready")
        // The threads that have started the programs end when they find no more to start.
        while try Self.threads(of: spinhost).contains("work of std") { sched_yield() }
        let names = try Self.threads(of: spinhost)
        #expect(names.count { $0.contains("std") } == 1, "\(names)")
        #expect(names.count < 50, "\(names)")
        kill(spinhost.identifier, SIGTERM)
        let (status, errors) = spinhost.end()
        #expect(status == 0, "\(errors)")
    }

    private static func threads(of program: RunningProgram) throws -> [String] {
        let folder = "/proc/\(program.identifier)/task"
        // A thread may end meanwhile.
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
            try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8)
                .trimmingCharacters(in: .newlines)
        }
    }

    @Test func signalsAreEvents() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            [loops.main]
            state  = { hup = 0, usr = 0 }
            events = { hup = { count = "int" }, usr = { count = "int" } }
            until  = "state.hup > 0 && state.usr > 0"
            on.hup = { set = { hup = "event.count" } }
            on.usr = { set = { usr = "event.count" } }
            [loops.main.feedback]
            hup   = { effect = "std:signal", args = ["'HUP'"], emit = { event = "hup", count = "value.count" } }
            again = { effect = "std:signal", args = ["'HUP'"], emit = { event = "hup", count = "value.count" } }
            usr   = { effect = "std:signal", args = ["'USR1'"], emit = { event = "usr", count = "value.count" } }
            ready = { effect = "std:print", args = ["'ready ' + string(state.hup)"] }

            """)
        let spinhost = try RunningProgram(["--manifest", folder.url("app.toml").path])
        #expect(spinhost.nextLine() == "ready 0")
        kill(spinhost.identifier, SIGHUP)
        #expect(spinhost.nextLine() == "ready 1")
        kill(spinhost.identifier, SIGUSR1)
        let (status, errors) = spinhost.end()
        #expect(status == 0, "\(errors)")
    }
}
