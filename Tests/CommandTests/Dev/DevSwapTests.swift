import Foundation
import TestSupport
import Testing

/// `spinhost dev` and swaps that cannot come about at once.
@Suite(.timeLimit(.minutes(10))) struct DevSwapTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a version in another file and renames that to the library.
    private func replace(with number: Int) throws {
        try NumbersApp.compile(number, in: folder, as: "new.so")
        _ = try Shell.run("mv", [folder.url("new.so").path, folder.url("lib.so").path])
    }

    @Test func aLibraryThatIsSavedWhilePluginsAreStarted_isSwappedOnceTheyAre() throws {
        // For a while after it may go on, the plugin is still being started.
        _ = try CCompiler().sharedObject(
            """
            #include <spinhost/plugin.h>
            #include <stdio.h>
            #include <unistd.h>
            SPIN_PLUGIN("slow", "1.0");
            \(InstanceSource.text())
            static spin_status start(spin_call *call, spin_self *self) {
                (void)call;
                (void)self;
                fputs("starts\\n", stderr);
                while (access("go", F_OK) != 0)
                    usleep(1000);
                usleep(1000000);
                return SPIN_OK;
            }
            static void stop(spin_self *self) { (void)self; }
            SPIN_LIFE(start, stop);
            static int32_t number(spin_self *self) { return self->number; }
            SPIN_EFFECT(int32_t, number, (spin_self *self), "");
            """, in: folder, as: "slow.so", flags: ["-I\(NumbersApp.include)"])
        try NumbersApp.compile(1, in: folder)
        try folder.write(
            "app.toml",
            NumbersApp.manifest("[plugins.slow]\nlibrary = \"./slow.so\"") + """
                [loops.main.feedback.slow]
                effect = "slow:number"

                """)
        let program = try RunningProgram(["dev", "--once", "--quiet"], in: folder.root)
        try #require(program.waitForErrors("starts\n"))
        try replace(with: 4)
        try folder.write("go", "")
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.hasSuffix("swapped `numbers` 1.0 → 4.0\n"), "\(end.errors)")
        #expect(!end.errors.contains("failed"), "\(end.errors)")
    }

    /// What happens before the trial of a new version begins, in C.
    private func start(before trial: String) throws -> RunningProgram {
        let library = try CCompiler().sharedObject(
            """
            #include <fcntl.h>
            #include <string.h>
            #include <unistd.h>
            __attribute__((constructor)) static void construct(int count, char **words) {
                if (count < 2 || strcmp(words[1], "--worker") != 0)
                    return;
                // The trial of the version that the app starts with.
                if (access("running", F_OK) != 0)
                    return;
                \(trial)
            }
            """, in: folder, as: "before.so")
        try NumbersApp.compile(1, in: folder)
        try folder.write("app.toml", NumbersApp.manifest(""))
        let program = try RunningProgram(
            ["dev", "--once", "--quiet"], in: folder.root, environment: ["LD_PRELOAD": library])
        try #require(program.nextLine() == "ready")
        try folder.write("running", "")
        try replace(with: 4)
        return program
    }

    @Test func aProcessThatBeginsLate_isWaitedFor() throws {
        let end = try start(before: "sleep(6);").end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors == "swapped `numbers` 1.0 → 4.0\n")
    }

    @Test func aTrialThatCannotBegin_isMadeAgain_twice() throws {
        // The first two end before they have begun.
        let end = try start(
            before: """
                for (int i = 0; i < 2; i++) {
                    char name[] = {'0' + i, 0};
                    if (open(name, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
                        _exit(1);
                }
                """
        ).end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.split(separator: "\n").count { $0.hasPrefix("error[P088]") } == 2, "\(end.errors)")
        #expect(end.errors.hasSuffix("swapped `numbers` 1.0 → 4.0\n"), "\(end.errors)")
    }

    /// Makes a version of the private library in another file and renames that.
    private func replaceCore(with number: Int) throws {
        _ = try CCompiler().sharedObject(
            "int core(void) { return \(number); }", in: folder, as: "new.so",
            flags: ["-Wl,-soname,libcore.so"])
        _ = try Shell.run("mv", [folder.url("new.so").path, folder.url("libcore.so").path])
    }

    /// Makes an app whose plugin answers with the number of its private library.
    private func makeAppWithCore(_ number: Int) throws {
        try replaceCore(with: number)
        _ = try CCompiler().sharedObject(
            "extern int core(void);\n" + NumbersApp.source(1, answer: "core()"), in: folder, as: "lib.so",
            flags: [
                "-I\(NumbersApp.include)", "-L\(folder.root.path)", "-l:libcore.so", "-Wl,-rpath,$ORIGIN",
            ])
        try folder.write("app.toml", NumbersApp.manifest(""))
    }

    @Test func aPrivateLibraryThatIsSaved_isSwappedWithItsPlugin() throws {
        try makeAppWithCore(1)
        let program = try RunningProgram(["dev", "--once", "--quiet"], in: folder.root)
        #expect(program.nextLine() == "ready")
        try replaceCore(with: 4)
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.hasSuffix("swapped `numbers` 1.0 → 1.0\n"), "\(end.errors)")
    }

    @Test func aPrivateLibraryThatIsSavedWhileNoAppRuns_runsIt() throws {
        try makeAppWithCore(1)
        try FileManager.default.removeItem(at: folder.url("libcore.so"))
        let program = try RunningProgram(["dev", "--quiet"], in: folder.root)
        try #require(program.waitForErrors("needs `libcore.so`, which was not found"))
        try #require(program.waitForErrors(" to try again, "))
        try replaceCore(with: 1)
        try #require(program.nextLine() == "ready")
        // Saved while the app runs, and by that taken.
        try replaceCore(with: 4)
        for round in 1...2 {
            try #require(program.waitForErrors(" to run again, ", times: round))
            try replaceCore(with: 4)
            try #require(program.nextLine() == "ready")
        }
        try #require(program.waitForErrors(" to run again, ", times: 3))
        kill(program.identifier, SIGINT)
        let end = program.end()
        #expect(end.status == 0 && end.errors.ranges(of: " to run again, ").count == 3, "\(end.errors)")
    }
}
