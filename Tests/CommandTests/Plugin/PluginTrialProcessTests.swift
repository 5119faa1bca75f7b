import Foundation
import Glibc
import TestSupport
import Testing

/// The processes of `spinhost plugin check`: what becomes of one that hangs, leaves children, or cannot begin.
@Suite(.timeLimit(.minutes(10))) struct PluginTrialProcessTests {
    @Test func anInterruption_endsIt_andIsNoVerdict() throws {
        // It is in a group of its own, as a terminal starts it, and interrupts it with all that it runs.
        let program = try RunningProgram(
            [
                "--default-signal=INT", Project.spinhost, "plugin", "check",
                Project.root.appendingPathComponent("build/examples/levels/left.so").path, "--call",
            ], program: "/usr/bin/env")
        #expect(program.nextLine().hasPrefix("ok "))
        #expect(kill(-program.identifier, SIGINT) == 0)
        var line = program.nextLine()
        while !line.isEmpty {
            #expect(!line.hasPrefix("FAIL"))
            line = program.nextLine()
        }
        #expect(program.end().status == SIGINT)
    }

    @Test func aConstructorThatClearsTheEnvironment_isNoted() throws {
        let folder = try TemporaryFolder()
        let library = try CCompiler().sharedObject(
            """
            #define _GNU_SOURCE
            #include <stdlib.h>
            __attribute__((constructor)) static void construct(void) { clearenv(); }
            """, in: folder, as: "clears.so")
        let found = try CheckedPlugin(library)
        #expect(found.failed == ["quiet-loading"])
        #expect(try found.line("quiet-loading").message == "loading it changes the environment")
    }

    /// It has left the group of its parent, and holds the pipe that the host reads.
    @Test func aChildThatWritesWithoutEnd_holdsUpNothing() throws {
        let folder = try TemporaryFolder()
        let children = folder.url("children").path
        let library = try CCompiler().sharedObject(
            """
            #include <fcntl.h>
            #include <signal.h>
            #include <stdio.h>
            #include <unistd.h>
            __attribute__((constructor)) static void construct(void) {
                if (fork() != 0)
                    return;
                setsid();
                char line[32];
                int size = snprintf(line, sizeof line, "%d\\n", getpid());
                int file = open("\(children)", O_CREAT | O_APPEND | O_WRONLY, 0600);
                write(file, line, size);
                close(file);
                signal(SIGPIPE, SIG_DFL);
                for (;;)
                    if (write(2, "still here\\n", 11) < 0)
                        _exit(0);
            }
            """, in: folder, as: "forks.so")
        defer {
            let numbers = (try? String(contentsOfFile: children, encoding: .utf8)) ?? ""
            for number in numbers.split(separator: "\n").compactMap({ pid_t($0) }) { kill(number, SIGKILL) }
        }
        let found = try CheckedPlugin(library)
        #expect(try found.line("loads").status == "passed", "\(found.lines)")
    }

    @Test func aCallWithoutEnd_isSaidWithItsArguments() throws {
        let found = try CheckedPlugin(fixture: "takes_pointers.c", ["--effect", "spin", "--timeout", "6"])
        let line = try found.line("calls-return", "spin")
        #expect(line.status == "failed")
        #expect(
            line.message.hasPrefix("it does not end within 6 seconds; the last call was `spin("),
            "\(line.message)"
        )
        #expect(try found.line("leaves-nothing", "spin").message == "its calls break `calls-return`")
    }

    @Test func aProcessThatCannotBegin_isNoFaultOfThePlugin() throws {
        let folder = try TemporaryFolder()
        let before = try CCompiler().sharedObject(
            """
            #include <stdio.h>
            #include <string.h>
            #include <unistd.h>
            __attribute__((constructor)) static void construct(int count, char **words) {
                if (count < 2 || strcmp(words[1], "--worker") != 0)
                    return;
                fputs("not today\\n", stderr);
                _exit(3);
            }
            """, in: folder, as: "before.so")
        let outcome = try Shell.run(
            Project.spinhost,
            [
                "plugin", "check", Project.root.appendingPathComponent("build/examples/levels/left.so").path,
                "--only-failed",
            ],
            in: folder.root, environment: ["LD_PRELOAD": before])
        #expect(outcome.status == 2 && outcome.output == "")
        #expect(
            outcome.errors.hasPrefix("error: the process of `loads` could not start: "), "\(outcome.errors)")
        #expect(
            outcome.errors.contains("it ended itself with the exit code 3: not today"), "\(outcome.errors)")
    }
}
