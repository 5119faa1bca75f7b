import Foundation
import Glibc
import TestSupport
import Testing

/// `spinhost plugin check`: what is right passes, and what is wrong fails the rule that it breaks.
@Suite(.timeLimit(.minutes(10))) struct PluginCheckTests {
    private static func built(_ path: String) -> String {
        Project.root.appendingPathComponent("build/\(path).so").path
    }

    /// Of a plugin that has neither instances nor an effect that goes on.
    private static let inapplicable = [
        "cancels", "instances", "saved-state", "strange-state", "life", "changed-settings",
    ]

    @Test(arguments: ["examples/levels/left", "examples/levels/right"])
    func goodPlugin_passes(_ path: String) throws {
        let found = try CheckedPlugin(Self.built(path), ["--call"])
        #expect(found.status == 0 && found.errors == "", "\(found.errors)")
        #expect(found.lines.allSatisfy { $0.seed == 7 })
        let rest = found.lines.filter { $0.status != "passed" }
        #expect(rest.allSatisfy { $0.status == "skipped" && Self.inapplicable.contains($0.rule) }, "\(rest)")
        let called = found.lines.filter { $0.rule == "calls-return" && $0.status == "passed" }
        #expect(!called.isEmpty && called.allSatisfy { $0.member != nil })
    }

    @Test func whatIsNotAsked_isNotCalled() throws {
        let found = try CheckedPlugin(fixture: "ends_process.c")
        #expect(found.status == 0)
        let skipped = found.lines.filter { $0.status == "skipped" }
        #expect(skipped.count == 10)
        #expect(skipped.allSatisfy { $0.member == nil })
        #expect(skipped.filter { $0.message == "the rule calls effects: add `--call`" }.count == 5)
    }

    @Test(arguments: [
        ("hidden.c", ["exports", "loads", "loads-twice"], "it does not export `spin_entry`"),
        ("other_major.c", ["abi-version", "loads"], "expected 2, found 3"),
        ("undefined.c", ["loads"], "defined_nowhere"),
        ("residue.cpp", ["no-unique-symbols"], "compile with `-fno-gnu-unique`"),
        ("dies_at_load.c", ["loads"], "the process was ended by SIGABRT"),
        (
            "loud.c", ["quiet-loading"],
            "loading it changes the handler of SIGUSR1; loading it changes the umask; loading it changes the rounding"
        ),
    ])
    func badLibrary_breaksItsRule(_ fixture: String, _ rules: [String], _ message: String) throws {
        let found = try CheckedPlugin(fixture: fixture)
        #expect(found.status == 1)
        #expect(found.failed.first == rules.first && Set(found.failed).isSubset(of: rules), "\(found.failed)")
        let line = try found.line(rules[0])
        #expect(line.message.contains(message), "\(line.message)")
    }

    @Test func notes_thatDeclareANameTwice_breakTheirRule() throws {
        let folder = try TemporaryFolder()
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        let library = try CCompiler().sharedObject(
            """
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("twice", "1.0.0");
            static int64_t one(void) { return 1; }
            SPIN_EFFECT(int64_t, one, (void), "");
            SPIN_NOTE(other, SPIN_KIND_EFFECT, "one\\0int64_t one(void)");
            """, in: folder, as: "twice.so", flags: ["-I\(include)", "-w", "-z", "execstack"])
        let found = try CheckedPlugin(library)
        #expect(found.failed.prefix(2) == ["no-executable-stack", "different-names"], "\(found.failed)")
        #expect(try found.line("identity").message == "the notes break `different-names`")
        #expect(try found.line("loads").status == "failed")
        #expect(try found.line("quiet-loading").message == "it breaks `loads`")
    }

    @Test func aCallThatUsesItsMemoryAfterACancellation_breaksNoRule() throws {
        let found = try CheckedPlugin(fixture: "uses_memory_late.c", ["--call"])
        #expect(found.status == 0 && found.failed == [])
        #expect(try found.line("cancels", "hold").status == "passed")
    }

    @Test func aThreadOfAConstructor_isAWarning() throws {
        let found = try CheckedPlugin(fixture: "starts_threads.c", ["--call"])
        #expect(found.status == 0)
        let line = try found.line("quiet-loading")
        #expect(line.status == "warning" && line.message == "loading it creates 1 thread")
    }

    @Test(arguments: [
        (
            "ends_process.c",
            [
                ("crash", "calls-return", "`crash()`: `crash` crashed with SIGSEGV at address 0x0"),
                ("give_up", "calls-return", "crashed with SIGABRT"),
                ("end_thread", "calls-return", "ended a thread of the host with `pthread_exit`"),
                ("leave", "calls-return", "ended the process with `exit("),
                ("fork_and_return", "calls-return", "forked, and returned in the child"),
                ("change_handlers", "leaves-nothing", "the handler of SIGSEGV was replaced by one of"),
            ], ["fine", "fork_and_exit"]
        ),
        (
            "misbehaves.c",
            [
                ("emit_after_finish", "header-rules", "it emitted after the call was over"),
                ("finish_twice", "header-rules", "it ended a call twice"),
                ("on_cancel_twice", "header-rules", "it called `spin_on_cancel` twice"),
                ("negative_timer", "header-rules", "with a negative time"),
                ("log_invalid", "header-rules", "not UTF-8, null, or too long"),
                ("key_without_room", "header-rules", "too little room for a key"),
                ("log_bad_field", "header-rules", "a field without a valid name or value"),
                ("bad_metric_name", "header-rules", "metric `strokes`: it registered a metric with a name"),
                ("unknown_metric", "header-rules", "a metric that it has not registered"),
                ("publish_null", "header-rules", "it published a table that is null"),
                ("acquire_own", "header-rules", "it acquired its own table"),
                ("release_unknown", "header-rules", "it released a use of a table twice"),
                (
                    "emit_null_with_size", "valid-results",
                    "emission `told`: `text`: a null pointer comes with"
                ),
                ("leave_thread", "leaves-nothing", "32 threads remain after 32 calls have ended"),
                ("leave_buffer", "leaves-nothing", "32 buffers remain after 32 calls have ended"),
                ("poll_twice", "header-rules", "or polled already"),
                ("room_null", "header-rules", "it gave a null pointer for a function"),
                ("retain_foreign", "header-rules", "neither from `spin_buffer_alloc` nor an argument"),
            ], ["emit_waiting"]
        ),
        (
            "crashes.cpp",
            [
                ("return_wild_text", "valid-results", "returned a value that is not of its type"),
                ("overflow_stack", "calls-return", "crashed with SIGSEGV"),
                ("crash_on_cancel", "calls-return", "the function given to `spin_on_cancel` crashed"),
            ], ["fine"]
        ),
        (
            "takes_pointers.c",
            [("leave_file", "leaves-nothing", "32 open files remain after 32 calls have ended")], []
        ),
    ])
    func badEffect_breaksItsRule(
        _ fixture: String, _ bad: [(effect: String, rule: String, message: String)], _ good: [String]
    ) throws {
        let effects = (bad.map(\.effect) + good).flatMap { ["--effect", $0] }
        let found = try CheckedPlugin(fixture: fixture, effects)
        #expect(found.status == 1)
        #expect(Set(found.failed) == Set(bad.map { "\($0.rule) of \($0.effect)" }))
        for (effect, rule, message) in bad {
            let line = try found.line(rule, effect)
            #expect(line.message.contains(message), "\(line.message)")
        }
        for effect in good { #expect(try found.line("calls-return", effect).status == "passed") }
        #expect(Set(found.lines.compactMap(\.member)) == Set(bad.map(\.effect) + good))
    }

    @Test func structsAndLists_areMadeUp() throws {
        let folder = try TemporaryFolder()
        let source = try String(
            contentsOf: Project.root.appendingPathComponent("Tests/Fixtures/manifests/libraries/tracks.c"),
            encoding: .utf8)
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        let library = try CCompiler().sharedObject(
            source, in: folder, as: "tracks.so", flags: ["-I\(include)"])
        let found = try CheckedPlugin(library, ["--call"])
        #expect(found.failed == [])
        for effect in ["measure", "middle"] {
            #expect(try found.line("calls-return", effect).status == "passed")
            #expect(try found.line("valid-results", effect).status == "passed")
        }
    }

    @Test func whatCannotBeMadeUp_isSkipped_andFilesOfCallsGo() throws {
        let library = try CompiledFixture("takes_pointers.c")
        let folder = try TemporaryFolder()
        let found = try CheckedPlugin(
            library.file.path, ["--effect", "follow", "--effect", "fill", "--effect", "leave_files_here"],
            in: folder.root)
        let pointer = try found.line("calls-return", "follow")
        #expect(pointer.status == "skipped")
        #expect(pointer.message == "`pointer` is or contains a pointer, which cannot be generated")
        let memory = try found.line("calls-return", "fill")
        #expect(memory.message == "`numbers` is memory that it writes, and only a manifest gives the size")
        #expect(try found.line("calls-return", "leave_files_here").status == "passed")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root.path).isEmpty)
    }

    @Test func anExceptionOfAnEffect_isAWarning() throws {
        let found = try CheckedPlugin(fixture: "crashes.cpp", ["--effect", "throw_text"])
        #expect(found.status == 0)
        let line = try found.line("calls-return", "throw_text")
        #expect(line.status == "warning")
        #expect(
            line.message
                == "`throw_text()`: `throw_text` threw a C++ exception: `an ordinary exception`; and 31 more"
        )
        #expect(try found.line("valid-results", "throw_text").status == "skipped")
    }

    @Test func seed_makesTheCalls() throws {
        let library = try CompiledFixture("ends_process.c")
        // The rule says at which call the process has ended.
        let calls = try [1, 1, 2, 3, 4].map { seed in
            try Spinhost.run(
                "plugin", "check", library.file.path, "--effect", "leave", "--seed", "\(seed)",
                "--only-failed"
            ).output.split(separator: "\n").first.map(String.init) ?? ""
        }
        #expect(calls[0].hasPrefix("FAIL     calls-return of leave: "), "\(calls)")
        #expect(calls[0].contains("the last call was `leave("), "\(calls)")
        #expect(calls[0] == calls[1])
        #expect(Set(calls).count > 1, "\(calls)")
    }

    @Test func text_endsWithTheSum_andOnlyFailedWithoutTheRest() throws {
        let fixture = try CompiledFixture("misbehaves.c")
        let library = fixture.file.path
        let all = try Spinhost.run("plugin", "check", library, "--effect", "finish_twice", "--seed", "5")
        #expect(all.status == 1 && all.errors == "")
        let lines = all.output.split(separator: "\n")
        #expect(lines.first == "ok       whole-library")
        #expect(lines.last == "23 rules: 17 passed, 1 failed, 5 skipped; seed 5")
        let few = try Spinhost.run(
            "plugin", "check", library, "--effect", "finish_twice", "--seed", "5", "--only-failed")
        #expect(
            few.output == """
                FAIL     header-rules of finish_twice: effect `finish_twice`: it ended a call twice, with `spin_finish` or \
                `spin_fail`: the second one does nothing
                23 rules: 17 passed, 1 failed, 5 skipped; seed 5

                """)
    }

    @Test func aPlainLibrary_hasNothingToSay() throws {
        let found = try CheckedPlugin(fixture: "scalars.c", ["--call"])
        #expect(found.status == 0)
        #expect(
            try found.line("readable-notes").message
                == "it has no notes: a manifest declares its functions")
        #expect(try found.line("loads").status == "passed")
    }

    @Test func fileThatIsNoLibrary_isNotWhole_andAMissingFileIsExit66() throws {
        let folder = try TemporaryFolder()
        let text = try CheckedPlugin(folder.write("text.so", "no library"))
        #expect(text.status == 1)
        #expect(text.failed == ["whole-library", "loads"])
        let missing = try Spinhost.run("plugin", "check", folder.url("missing.so").path)
        #expect(missing.status == 66 && missing.output == "")
        #expect(missing.errors.hasPrefix("error[P001]: "), "\(missing.errors)")
    }

    @Test func misuse_isExit64() throws {
        let left = Self.built("examples/levels/left")
        let effect = try Spinhost.run("plugin", "check", left, "--effect", "step_towards")
        #expect(effect.status == 64 && effect.output == "")
        #expect(effect.errors.contains("did you mean `step_toward`?"), "\(effect.errors)")
        for options in [
            ["--timeout", "0"], ["--timeout", "3601"], ["--seed", "-1"], ["--rule", "none"], ["--steps"],
        ] {
            let outcome = try Shell.run(Project.spinhost, ["plugin", "check", left] + options)
            #expect(outcome.status == 64 && outcome.output == "", "\(options): \(outcome.errors)")
        }
        #expect(try Spinhost.run("plugin", "check").status == 64)
    }

    @Test func everyRule_isExplained() throws {
        let page = try String(
            contentsOf: Project.root.appendingPathComponent("docs/plugin-check.md"), encoding: .utf8)
        let found = try CheckedPlugin(Self.built("examples/levels/left"))
        #expect(found.lines.count == 23)
        for line in found.lines {
            #expect(page.contains("| `\(line.rule)` |"), "`\(line.rule)` belongs into docs/plugin-check.md")
        }
    }
}
