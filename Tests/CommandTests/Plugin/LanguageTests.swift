import Foundation
import TestSupport
import Testing

/// Plugins in other languages than C: the examples `newton` (C++) and `primes` (Rust), and the fixtures `ticker`
/// (Rust) and `talker` (Swift, with a function in C).
@Suite(.timeLimit(.minutes(10))) struct LanguageTests {
    private func run(_ example: String, _ setting: String) throws -> Shell.Outcome {
        try Spinhost.run("--manifest", Spinhost.example(example), "--set", setting)
    }

    @Test func anEffectInCPlusPlus_improvesAGuess() throws {
        let outcome = try run("newton", "square=2.0")
        #expect(outcome.output == "1.000000\n1.500000\n1.416667\n1.414216\n1.414214\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func anExceptionIsAnErrorOfItsCall() throws {
        let outcome = try run("newton", "square=-4.0")
        #expect(
            outcome.output
                == "1.000000\n`improve` threw a C++ exception: `no real number has the square -4.000000`\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    static let hasRust = FileManager.default.fileExists(
        atPath: Project.root.appendingPathComponent("build/examples/primes/primes.so").path)

    @Test(
        .enabled(if: hasRust, "there is no `cargo` on this machine"),
        arguments: [
            ("below=20", "2\n3\n5\n7\n11\n13\n17\n19\n"), ("below=2", ""), ("below=0", ""),
        ])
    func anEffectInRust_emitsFromItsThread(_ setting: String, _ expected: String) throws {
        let outcome = try run("primes", setting)
        #expect(outcome.output == expected)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test(.enabled(if: hasRust, "there is no `cargo` on this machine"))
    func aThreadOfRustWaitsWhileTheLoopIsBusy() throws {
        let outcome = try run("primes", "below=200000")
        #expect(outcome.output.split(separator: "\n").count == 17_984)
        #expect(outcome.errors.hasPrefix("done: 17,985 steps, 17,985 events, 0 drops, 0 faults"))
    }

    private static let talker = Project.root.appendingPathComponent(
        "build/Tests/Fixtures/swift-plugin/talker.so"
    ).path

    @Test(arguments: [
        ("int64_t shout(int64_t volume)", "3", "5\n"), ("int64_t louder(int64_t volume)", "10", "10\n"),
        ("spin_duration half(spin_duration time)", "5s", "\"2.5s\"\n"),
        ("spin_timestamp after(spin_timestamp in)", "2026-01-01T00:00:59Z", "\"2026-01-01T00:01:00Z\"\n"),
    ])
    func `effects in Swift and in C are in one table`(
        _ prototype: String, _ argument: String, _ result: String
    )
        throws
    {
        let info = try Spinhost.run("plugin", "info", Self.talker)
        #expect(info.output.contains("effect   \(prototype)\n"), "\(info.output)\(info.errors)")
        let outcome = try Spinhost.run("call", Self.talker, prototype, "--", argument)
        #expect(outcome.output == "result = \(result)", "\(outcome.errors)")
    }

    private static let ticker = Project.root.appendingPathComponent(
        "build/Tests/Fixtures/rust-plugin/ticker.so"
    ).path

    @Test(
        .enabled(if: hasRust, "there is no `cargo` on this machine"),
        arguments: [
            ("int32_t add(int32_t one, int32_t other)", ["2", "3"], "5\n"),
            ("spin_string greet(const char *name)", ["grün"], "\"grün\"\n"),
            ("spin_string greet(const char *name)", [""], "\"nobody\"\n"),
            ("uint64_t lengths(spin_list_string all)", [#"["a","grün"]"#], "6\n"),
            ("spin_duration wait(spin_duration time)", ["5s"], "\"2.5s\"\n"),
            ("spin_duration age(spin_timestamp since)", ["2200-01-01T00:00:00Z"], "\"-"),
            ("bool is_known(void)", [], "true\n"),
        ])
    func `each type of Rust crosses the border`(_ prototype: String, _ arguments: [String], _ result: String)
        throws
    {
        let outcome = try Shell.run(Project.spinhost, ["call", Self.ticker, prototype, "--"] + arguments)
        #expect(outcome.output.hasPrefix("result = \(result)"), "\(outcome.output)")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test(.enabled(if: hasRust, "there is no `cargo` on this machine"))
    func `a plugin in Rust keeps all rules`() throws { try expectNoFinding(in: Self.ticker) }

    @Test func `a plugin in Swift keeps all rules`() throws { try expectNoFinding(in: Self.talker) }

    private func expectNoFinding(in library: String) throws {
        let checked = try CheckedPlugin(library, ["--call"])
        #expect(checked.status == 0 && checked.failed == [], "\(checked.failed)")
        #expect(!checked.lines.contains { $0.status == "warning" })
        for rule in ["saved-state", "strange-state", "life"] {
            #expect(try checked.line(rule).status == "passed")
        }
    }

    @Test(.enabled(if: hasRust, "there is no `cargo` on this machine"))
    func `a panic of Rust ends the process, and with a guard the call only`() throws {
        try Self.expectPanic(of: "ticker", Self.ticker)
    }

    /// Runs an app whose effect `expect` panics, without and with a guard.
    static func expectPanic(of plugin: String, _ library: String) throws {
        let folder = try TemporaryFolder()
        func run(_ isolation: String) throws -> Shell.Outcome {
            try folder.write(
                "app.toml",
                """
                [plugins.\(plugin)]
                library   = "\(library)"
                isolation = "\(isolation)"
                [loops.main]
                state  = { code = 0 }
                events = { done = {}, failed = { code = "int" } }
                until  = "state.code != 0"
                on     = { done = {}, failed = { set = { code = "event.code" } } }
                [loops.main.feedback.expect]
                effect   = "\(plugin):expect"
                args     = [1000]
                emit     = { event = "done" }
                on-error = { event = "failed", code = "error.code" }
                """)
            return try Shell.run(
                Project.spinhost, ["--json", "--quiet"], in: folder.root,
                environment: ["SWIFT_BACKTRACE": "enable=no"])
        }
        let inline = try run("inline")
        #expect(inline.status == 128 + 6)
        #expect(inline.errors.contains("1000 is too much\n"))
        #expect(inline.errors.contains("fatal: SIGABRT in effect `expect` of plugin `\(plugin)` 1.0.0\n"))
        let guarded = try run("guarded")
        #expect(guarded.status == 0, "\(guarded.errors)")
        #expect(guarded.errors.contains("effect `expect` crashed with SIGABRT"), "\(guarded.errors)")
    }
}
