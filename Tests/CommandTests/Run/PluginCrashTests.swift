import Foundation
import TestSupport
import Testing

/// What the program does when a plugin takes the process down, or tries to.
struct PluginCrashTests {
    /// `Tests/Fixtures/plugins/ends_process.c`, compiled once for all tests.
    private static let library = Result { try CompiledFixture("ends_process.c") }

    private typealias Outcome = (status: Int32, output: String, errors: String)

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.copyItem(at: Self.library.get().file, to: folder.url("ends.so"))
    }

    /// Ticks twice, then calls the effect, whose result ends the loop.
    private func run(
        _ effect: String, _ args: String = "[]", isolation: String = "inline", _ options: String...
    ) throws -> Outcome {
        try folder.write(
            "app.toml",
            """
            [plugins.lib]
            library   = "./ends.so"
            isolation = "\(isolation)"
            [loops.main]
            state  = { ticks = 0, result = 0, code = 0, done = false }
            events = { ticked = {}, ended = { n = "int" }, failed = { code = "int" } }
            until  = "state.done"
            [loops.main.on]
            ticked = { set = { ticks = "state.ticks + 1" } }
            ended  = { set = { result = "event.n", done = "true" } }
            failed = { set = { code = "event.code", done = "true" } }
            [loops.main.feedback]
            tick = { effect = "lib:fine", args = ["state.ticks"], when = "state.ticks < 2", emit = { event = "ticked" } }
            try  = { effect = "lib:\(effect)", args = \(args), when = "state.ticks == 2", emit = { event = "ended", n = "result" }, on-error = { event = "failed", code = "error.code" } }
            """)
        let outcome = try Shell.run(
            Project.spinhost, ["--json", "--quiet"] + options, in: folder.root,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        return (outcome.status, outcome.output, withoutPaths(outcome.errors))
    }

    /// The text without what differs from run to run.
    private func withoutPaths(_ text: String) -> String {
        text.replacing(folder.root.path, with: "FOLDER")
            .replacing(#/\/\S+\/spinhost-[^\/]+\/1-[0-9a-f]+\//#, with: "STAGED/")
    }

    private func lastLine(_ outcome: Outcome) -> Substring {
        outcome.output.split(separator: "\n").last ?? ""
    }

    private static func report(_ first: String, help: Bool = true) -> String {
        """
        fatal: \(first)
          library: FOLDER/ends.so
          mapped from: STAGED/ends.so
          loop `main`, last events of 2: ticked ticked

        """
            + (help
                ? "  help: with `isolation = \"guarded\"` a crash in a call of the plugin is a fault of that call\n"
                : "")
    }

    @Test func crash_isReportedWithThePluginAndTheLastEvents_andEndsTheProcessAsEver() throws {
        let outcome = try run("crash")
        #expect(outcome.status == 128 + 11)
        #expect(
            outcome.errors == Self.report("SIGSEGV at address 0x0 in effect `crash` of plugin `ends` 2.0"))
        #expect(lastLine(outcome).hasPrefix(#"{"loop":"main","step":2,"#), "the steps that wait are written")
        let abort = try run("give_up")
        #expect(abort.status == 128 + 6)
        #expect(lastLine(abort).hasPrefix(#"{"loop":"main","step":2,"#))
        #expect(abort.errors == Self.report("SIGABRT in effect `give_up` of plugin `ends` 2.0"))
    }

    @Test func crash_whenGuarded_isAFaultWithACode_andTheAppContinues() throws {
        let outcome = try run("crash", isolation: "guarded")
        #expect(outcome.status == 0)
        #expect(
            lastLine(outcome).contains(
                #""payload":{"code":-1120},"state":{"ticks":2,"result":0,"code":-1120"#))
        #expect(
            outcome.errors.hasPrefix(
                "error: plugin `ends`: effect `crash` crashed with SIGSEGV at address 0x0; the plugin is not called any more\n"
            ))
    }

    @Test func exit_isSaid_andIsNoSuccess() throws {
        let outcome = try run("leave", "[0]")
        #expect(outcome.status == 2)
        #expect(lastLine(outcome).hasPrefix(#"{"loop":"main","step":2,"#))
        #expect(
            outcome.errors
                == Self.report(
                    "effect `leave` of plugin `ends` 2.0 ended the process with `exit(0)`", help: false)
                + "the licence has expired\n")
    }

    @Test func end_ofAThreadOfTheHost_isSaid() throws {
        let outcome = try run("end_thread")
        #expect(outcome.status == 2)
        #expect(lastLine(outcome).hasPrefix(#"{"loop":"main","step":2,"#))
        #expect(
            outcome.errors
                == Self.report(
                    "effect `end_thread` of plugin `ends` 2.0 ended a thread of the host with `pthread_exit`",
                    help: false))
    }

    @Test func child_thatReturnsFromACall_ends_andTheParentContinues() throws {
        let outcome = try run("fork_and_return")
        #expect(outcome.status == 0)
        #expect(lastLine(outcome).contains(#""payload":{"n":2}"#))
        #expect(outcome.output.split(separator: "\n").count == 4)
        #expect(
            outcome.errors.hasPrefix(
                "error: effect `fork_and_return` of plugin `ends` 2.0 forked, and returned in the child, which ends here: a child calls `exec` or `_exit`\n"
            ))
    }

    @Test func child_thatEndsItself_isNotReported() throws {
        let outcome = try run("fork_and_exit")
        #expect(outcome.status == 0)
        #expect(lastLine(outcome).contains(#""payload":{"n":7}"#))
        #expect(!outcome.errors.contains("fork"))
    }
}
