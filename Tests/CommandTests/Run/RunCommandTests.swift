import Foundation
import Testing
import TestSupport

struct RunCommandTests {
    /// Rule 10 of the loop: two feedbacks take turns, each on the newest state.
    private static let levels = """
        levels  #0  left = 10, right = 20
        levels  #1  left_moved(to: 11)  left 10 → 11  ← left
        levels  #2  right_moved(to: 19)  right 20 → 19  ← right
        levels  #3  left_moved(to: 12)  left 11 → 12  ← left
        levels  #4  right_moved(to: 18)  right 19 → 18  ← right
        levels  #5  left_moved(to: 13)  left 12 → 13  ← left
        levels  #6  right_moved(to: 17)  right 18 → 17  ← right
        levels  #7  left_moved(to: 14)  left 13 → 14  ← left
        levels  #8  right_moved(to: 16)  right 17 → 16  ← right
        levels  #9  left_moved(to: 15)  left 14 → 15  ← left
        levels  #10  right_moved(to: 15)  right 16 → 15  ← right

        """

    @Test func levels_meetInTenSteps_withEffectsInCAndSwift() throws {
        for arguments in [
            ["--manifest", Spinhost.example("levels"), "--steps"],
            ["run", "--manifest", Spinhost.example("levels"), "--steps"],
        ] {
            let outcome = try Shell.run(Project.spinhost, arguments)
            #expect(outcome.output == Self.levels)
            #expect(
                outcome.errors.hasPrefix("done: 10 steps, 10 events (10 withdrawn), 0 drops, 0 faults in "))
            #expect(outcome.status == 0)
        }
    }

    @Test func withoutATerminal_stepLinesNeedSteps() throws {
        let outcome = try Spinhost.run("--manifest", Spinhost.example("levels"))
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix("done: 10 steps"))
    }

    @Test func quiet_printsNothing() throws {
        let outcome = try Spinhost.run("--quiet", "--manifest", Spinhost.example("levels"))
        #expect(outcome.output + outcome.errors == "")
        #expect(outcome.status == 0)
    }

    @Test func json_isOneObjectPerStep_keysInOrder() throws {
        let outcome = try Spinhost.run("--json", "--manifest", Spinhost.example("levels"))
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 11)
        #expect(
            lines.first == #"{"loop":"levels","step":0,"state":{"left":10,"right":20},"origin":"initial"}"#)
        #expect(
            lines.dropFirst().first
                == #"{"loop":"levels","step":1,"event":"left_moved","payload":{"to":11},"state":{"left":11,"right":20},"origin":"feedback:left"}"#
        )
    }

    @Test func onATerminal_stepsAreShown_withColor() throws {
        let command = "'\(Project.spinhost)' --manifest '\(Spinhost.example("levels"))'"
        let outcome = try Shell.run(
            "script", ["-qec", command, "/dev/null"], environment: ["NO_COLOR": "", "TERM": "xterm"])
        #expect(outcome.output.contains("\u{1B}["))
        let plain = outcome.output.replacing(#/\u{1B}\[[0-9;]*m/#, with: "").replacing("\r\n", with: "\n")
        #expect(plain.hasPrefix(Self.levels + "done: 10 steps"))
        let colorless = try Shell.run(
            "script", ["-qec", command, "/dev/null"], environment: ["NO_COLOR": "1"])
        #expect(!colorless.output.contains("\u{1B}["))
    }

    @Test func hostwatch_readsThisMachine() throws {
        var (folder, manifest) = try Self.copy(of: "hostwatch")
        let text =
            try String(contentsOfFile: manifest, encoding: .utf8).replacing(
                "duration('5s')", with: "duration('10ms')")
            + "\n"
        manifest = try folder.write(
            "app.toml",
            text.replacing("[loops.host.on]", with: "until = \"state.used > 0.0\"\n\n[loops.host.on]"))
        let outcome = try Spinhost.run("--json", "--manifest", manifest, in: folder)
        let host = try Shell.run("hostname").output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains(#"{"print":"\#(host) is "#))
        #expect(outcome.output.contains(#""event":"loaded","payload":{"one":"#))
        #expect(outcome.output.contains(#""event":"filled","payload":{"used":0."#))
    }

    @Test func login_losesItsAuthorization_andIsGivenItBackThroughTheGear() throws {
        let outcome = try Spinhost.run("--json", "--manifest", Spinhost.example("login"))
        #expect(outcome.status == 0)
        #expect(outcome.errors.hasPrefix("done: 8 steps, "))
        #expect(!outcome.errors.contains("lost"))
        let lines = outcome.output.split(separator: "\n")
        func steps(_ loop: String) -> [String] {
            lines.filter { $0.hasPrefix(#"{"loop":"\#(loop)""#) }
                .map { String($0.drop { $0 != "," }.dropFirst()) }
        }
        func called(_ step: Int, _ state: String) -> String {
            #""step":\#(step),"event":"called","payload":{},"state":{\#(state)},"origin":"feedback:clock"}"#
        }
        #expect(
            steps("feature") == [
                #""step":0,"state":{"calls":0,"authorized":true},"origin":"initial"}"#,
                called(1, #""calls":1,"authorized":true"#), called(2, #""calls":2,"authorized":true"#),
                called(3, #""calls":3,"authorized":false"#),
                #""step":4,"event":"granted","payload":{},"state":{"calls":3,"authorized":true},"origin":"gear:auth.granted"}"#,
                called(5, #""calls":4,"authorized":true"#), called(6, #""calls":5,"authorized":true"#),
                called(7, #""calls":6,"authorized":true"#),
            ])
        #expect(
            steps("login") == [
                #""step":0,"state":{"user":"","checks":0},"origin":"initial"}"#,
                #""step":1,"event":"check","payload":{"user":"ada"},"state":{"user":"ada","checks":1},"origin":"gear:auth.lost"}"#,
            ])
        #expect(
            lines.filter { $0.hasPrefix(#"{"print""#) }.sorted() == [
                #"{"print":"ada may go on"}"#, #"{"print":"authorized"}"#, #"{"print":"authorized"}"#,
                #"{"print":"not authorized"}"#,
            ])
    }

    @Test func set_overridesAConstant() throws {
        let (folder, manifest) = try Self.constant()
        #expect(
            try Spinhost.run("--steps", "--manifest", manifest, in: folder).output.hasSuffix(
                "n 2 → 3  ← count\n"))
        let outcome = try Spinhost.run("--steps", "--set", "limit=5", "--manifest", manifest, in: folder)
        #expect(outcome.output.hasSuffix("n 4 → 5  ← count\n"))
        let wrong = try Spinhost.run("--set", "limt=5", "--manifest", manifest, in: folder)
        #expect(wrong.status == 64)
        #expect(wrong.errors.contains("did you mean `limit`?"))
        #expect(try Spinhost.run("--set", "limit", "--manifest", manifest, in: folder).status == 64)
    }

    @Test func whatPluginsPrint_cannotReachStdout() throws {
        let folder = try TemporaryFolder()
        _ = try CCompiler().sharedObject(
            "#include <stdio.h>\nlong noisy(long n) { printf(\"noise\\n\"); fflush(stdout); return n + 1; }",
            in: folder,
            as: "noisy.so")
        let manifest = try folder.write("app.toml", Self.counting(library: "./noisy.so", function: "noisy"))
        let outcome = try Spinhost.run("--json", "--manifest", manifest, in: folder)
        #expect(!outcome.output.contains("noise"))
        #expect(outcome.errors.contains("noise"))
        #expect(outcome.output.split(separator: "\n").count == 4)
    }

    @Test func readerThatGoesAway_endsTheRun() throws {
        let folder = try TemporaryFolder()
        let manifest = try folder.write("app.toml", Self.endless)
        let outcome = try Shell.run(
            "bash",
            [
                "-c",
                "'\(Project.spinhost)' --json --manifest '\(manifest)' | head -n 3; echo ${PIPESTATUS[0]}",
            ])
        #expect(outcome.output.split(separator: "\n").last == "0")
    }

    @Test func interrupt_stopsInOrder() throws {
        let folder = try TemporaryFolder()
        let manifest = try folder.write("app.toml", Self.endless)
        for signal in [SIGINT, SIGTERM] {
            let process = try RunningProgram(["--json", "--manifest", manifest])
            let first = process.nextLine()
            #expect(first.hasPrefix(#"{"loop":"main","step":0"#))
            kill(process.identifier, signal)
            let (status, errors) = process.end()
            #expect(status == 0)
            #expect(errors.hasPrefix("stopped: "))
        }
    }

    @Test func secondInterrupt_endsAtOnce_andSaysWhatRan() throws {
        let folder = try TemporaryFolder()
        _ = try CCompiler().sharedObject(
            """
            #include <unistd.h>
            long stuck(long n) {
                write(STDOUT_FILENO, "calling ", 8);
                for (;;) pause();
                return n;
            }
            """, in: folder, as: "stuck.so")
        let manifest = try folder.write("app.toml", Self.counting(library: "./stuck.so", function: "stuck"))
        let process = try RunningProgram(["--json", "--manifest", manifest])
        try #require(process.waitForErrors("calling"))
        let (status, errors) = process.end(repeating: SIGINT)
        #expect(status == 130)
        #expect(errors == "calling ended at once while count ran\n")
    }

    @Test func interruptWhileALibraryIsLoaded_isHeard() throws {
        let folder = try TemporaryFolder()
        _ = try CCompiler().sharedObject(
            """
            #include <unistd.h>
            __attribute__((constructor)) static void stuck(void) {
                write(STDOUT_FILENO, "loading", 7);
                for (;;) pause();
            }
            long half(long n) { return n / 2; }
            """, in: folder, as: "stuck.so")
        let manifest = try folder.write("app.toml", Self.counting(library: "./stuck.so", function: "half"))
        let process = try RunningProgram(["--json", "--manifest", manifest])
        try #require(process.waitForErrors("loading"))
        let (status, errors) = process.end(repeating: SIGINT)
        #expect(status == 130)
        #expect(errors == "loadingended at once\n")
    }

    @Test func unreachedUntil_isExitOne_andReported() throws {
        let folder = try TemporaryFolder()
        let manifest = try folder.write(
            "app.toml",
            "app.name = \"still\"\n[loops.main]\nstate = { n = 0 }\nevents = { go = {} }\nuntil = \"state.n == 1\"\n"
        )
        let outcome = try Spinhost.run("--manifest", manifest, in: folder)
        #expect(outcome.status == 1)
        #expect(
            outcome.errors.hasPrefix(
                "nothing can happen any more, and `until` was not reached in `main`: 0 steps, 0 events, 0 drops, 0 faults in "
            ))
    }

    @Test func appWithoutUntil_endsWhenNothingCanHappen() throws {
        let folder = try TemporaryFolder()
        let manifest = try folder.write(
            "app.toml", "app.name = \"still\"\n[loops.main]\nstate = { n = 0 }\nevents = { go = {} }\n")
        let outcome = try Spinhost.run("--manifest", manifest, in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors.hasPrefix("nothing can happen any more: 0 steps"))
    }

    // MARK: - Manifests

    static let endless = """
        app.name = "endless"
        [loops.main]
        state  = { n = 0 }
        events = { ticked = {} }
        [loops.main.on]
        ticked = { set = { n = "state.n + 1" } }
        [loops.main.feedback.clock]
        effect = "std:every"
        args   = ["duration('1ms')"]
        emit   = { event = "ticked" }

        """

    /// Counts to 3 with `long function(long)` of a library.
    static func counting(library: String, function: String) -> String {
        """
        app.name = "counting"
        [plugins.lib]
        library  = "\(library)"
        declares = "long \(function)(long n);"
        [loops.main]
        state  = { n = 0 }
        events = { counted = { to = "int" } }
        until  = "state.n == 3"
        [loops.main.on]
        counted = { set = { n = "event.to" } }
        [loops.main.feedback.count]
        effect = "lib:\(function)"
        args   = ["state.n"]
        emit   = { event = "counted", to = "result" }

        """
    }

    private static func constant() throws -> (TemporaryFolder, String) {
        let folder = try TemporaryFolder()
        _ = try CCompiler().sharedObject("long next(long n) { return n + 1; }", in: folder, as: "next.so")
        let text = counting(library: "./next.so", function: "next")
            .replacing("app.name = \"counting\"", with: "app.name = \"counting\"\nconfig = { limit = 3 }")
            .replacing("state.n == 3", with: "state.n == 3 || state.n > 9")
            .replacing("args   = [", with: "when = \"state.n < config.limit\"\nargs   = [")
            .replacing("until  = \"state.n == 3 || state.n > 9\"\n", with: "")
        return (folder, try folder.write("app.toml", text))
    }

    private static func copy(of example: String) throws -> (TemporaryFolder, String) {
        let folder = try TemporaryFolder()
        let text = try String(contentsOfFile: Spinhost.example(example), encoding: .utf8)
        return (folder, try folder.write("app.toml", text))
    }
}
