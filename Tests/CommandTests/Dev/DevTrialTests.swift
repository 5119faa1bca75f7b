import Foundation
import Glibc
import TestSupport
import Testing

/// Libraries that `spinhost dev` tries in a process of their own before it loads them.
@Suite(.timeLimit(.minutes(10))) struct DevTrialTests {
    /// A plugin that answers a number, with a constructor of these lines.
    private func plugin(_ number: Int, _ constructor: String = "") -> String {
        """
        #include <spinhost/plugin.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <unistd.h>
        SPIN_PLUGIN("numbers", "\(number).0");
        __attribute__((constructor)) static void construct(void) { \(constructor) }
        static int32_t number(void) { return \(number); }
        SPIN_EFFECT(int32_t, number, (void), "");
        """
    }

    /// A folder with an app that says `ready`, and asks the plugin until it answers `last`.
    private func folder(until last: Int) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            app.name = "try-\(UUID().uuidString)"
            [plugins.numbers]
            library = "./lib.so"
            source  = "numbers.c"
            [loops.main]
            state  = { answer = 0 }
            events = { answered = { answer = "int" } }
            until  = "state.answer == \(last)"
            on.answered = { set = { answer = "event.answer" } }
            [loops.main.feedback]
            ask = { effect = "numbers:number", trigger = "state", emit = { event = "answered", answer = "result" } }
            say = { effect = "std:print", args = ["'ready'"] }
            """)
        return folder
    }

    @Test func whatCrashesHangsOrExitsWhenItIsLoaded_isRefused_andTheHostContinues() throws {
        let folder = try folder(until: 4)
        try folder.write("numbers.c", plugin(1))
        let program = try RunningProgram(["dev", "--once"], in: folder.root)
        try #require(program.nextLine() == "ready")
        let bad = [
            ("abort();", "the process was ended by SIGABRT"),
            ("*(volatile int *)8 = 1;", "SIGSEGV"),
            ("_exit(3);", "the process ended with exit code 3 and without an outcome"),
            ("for (;;) pause();", "it does not end within 5 seconds"),
        ]
        for (constructor, reason) in bad {
            try folder.write("numbers.c", plugin(2, constructor))
            try #require(program.waitForErrors(reason), "\(constructor)")
        }
        try folder.write("numbers.c", plugin(4))
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.contains("error[P087]: tried in a process of its own, the new version fails: "))
        #expect(end.errors.contains("swapped `numbers` 1.0 → 4.0\n"), "\(end.errors)")
        #expect(end.errors.contains("replaced libraries: 1 unmapped\n"), "\(end.errors)")
    }

    @Test func aConstructorThatHangsInTheAppAlone_isGivenUp_andTheAppContinues_andEnds() throws {
        let folder = try folder(until: 9)
        try folder.write("numbers.c", plugin(1))
        let program = try RunningProgram(["dev", "--once"], in: folder.root)
        try #require(program.nextLine() == "ready")
        let mark = folder.url("tried").path
        try folder.write(
            "numbers.c",
            plugin(2, "if (open(\"\(mark)\", O_CREAT | O_EXCL, 0600) < 0) for (;;) pause();"))
        try #require(program.waitForErrors("has not returned within 5.0 seconds"))
        try #require(program.waitForErrors("swap of `numbers` 1.0 refused\n"))
        // The loader is held up: so it is said at once.
        try folder.write("numbers.c", plugin(3))
        try #require(program.waitForErrors("cannot be loaded, as a constructor of `"))
        kill(program.identifier, SIGINT)
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.contains("error[P025]: a constructor of `"), "\(end.errors)")
        #expect(end.errors.contains("stopped: "), "\(end.errors)")
    }

    /// A plugin whose instances save a number, which `restore` takes over like this.
    private func keeper(_ number: Int, _ restore: String, create: String = "", settings: String = "")
        -> String
    {
        """
        #include <spinhost/plugin.h>
        #include <stdlib.h>
        #include <unistd.h>
        SPIN_PLUGIN("numbers", "\(number).0");
        \(settings)
        struct spin_self { int32_t number; };
        static spin_self *create(spin_call *call, const spin_config *config) {
            (void)call;
            (void)config;
            \(create)
            spin_self *self = calloc(1, sizeof *self);
            self->number = \(number);
            return self;
        }
        static void destroy(spin_self *self) { free(self); }
        SPIN_INSTANCE(create, destroy);
        static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
            (void)call;
            return spin_write(saving, &self->number, sizeof self->number);
        }
        static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
            (void)call;
            \(restore)
            self->number += *(const int32_t *)saved->data * 10;
            return SPIN_OK;
        }
        SPIN_SWAP(save, restore, 1);
        static int32_t number(spin_self *self) { return self->number; }
        SPIN_EFFECT(int32_t, number, (spin_self *self), "");
        """
    }

    @Test func whatCannotRestoreTheStateOfTheOneThatRuns_isRefused_andThatContinues() throws {
        let folder = try folder(until: 14)
        try folder.write("numbers.c", keeper(1, ""))
        let program = try RunningProgram(["dev", "--once"], in: folder.root)
        try #require(program.nextLine() == "ready")
        let bad = [
            ("abort();", "SIGABRT in function `restore` of plugin `numbers` 2.0"),
            ("return spin_fail(call, -1, \"it is too old\");", "it is too old"),
        ]
        for (restore, reason) in bad {
            try folder.write("numbers.c", keeper(2, restore))
            try #require(program.waitForErrors(reason), "\(restore)")
            try #require(program.waitForErrors("refused\n"))
        }
        try folder.write("numbers.c", keeper(4, ""))
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.contains("swapped `numbers` 1.0 → 4.0\n"), "\(end.errors)")
    }

    @Test func aNewSetting_hasItsDefaultInTheTrial() throws {
        let folder = try folder(until: 14)
        try folder.write("numbers.c", keeper(1, ""))
        let program = try RunningProgram(["dev", "--once"], in: folder.root)
        #expect(program.nextLine() == "ready")
        let settings = "SPIN_CONFIG((int32_t, step, 5, \"\"));"
        try folder.write(
            "numbers.c", keeper(2, "", create: "if (config->step == 5) abort();", settings: settings))
        try #require(program.waitForErrors("SIGABRT in function `create` of plugin `numbers` 2.0"))
        try folder.write(
            "numbers.c", keeper(4, "", create: "if (config->step != 5) abort();", settings: settings))
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.contains("swapped `numbers` 1.0 → 4.0\n"), "\(end.errors)")
    }

    private func startWaiting(in folder: TemporaryFolder) throws -> RunningProgram {
        try RunningProgram(["dev", "--quiet"], in: folder.root)
    }

    @Test(arguments: ["constructor", "create"])
    func aLibraryThatCrashesAtAStart_isRefused_andASaveMendsIt(_ function: String) throws {
        let crash = "static int *volatile nothing; *nothing = 1;"
        let bad = function == "create" ? keeper(2, "", create: crash) : plugin(2, crash)
        let good = function == "create" ? keeper(4, "") : plugin(4)
        let folder = try folder(until: 4)
        try folder.write("numbers.c", bad)
        let program = try startWaiting(in: folder)
        let refusal = "error[P087]: tried in a process of its own, the library fails: "
        for round in 1...2 {
            try #require(program.waitForErrors(refusal, times: round))
            try #require(program.waitForErrors("save one of them to try again, ", times: round))
            try folder.write("numbers.c", good)
            #expect(program.nextLine() == "ready")
            try #require(program.waitForErrors("save one of them to run again, ", times: round))
            if round == 1 { try folder.write("numbers.c", bad) }
        }
        kill(program.identifier, SIGINT)
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        let named = end.errors.contains("SIGSEGV at address 0x0 in function `create` of plugin `numbers`")
        #expect(named == (function == "create"), "\(end.errors)")
        let place = " --> app.toml:3:11\n  |\n3 | library = \"./lib.so\"\n"
        #expect(end.errors.ranges(of: place).count == 2, "\(end.errors)")
    }

    @Test func aLibraryThatHasPassed_isNotTriedAgain() throws {
        let folder = try folder(until: 4)
        try folder.write(
            "numbers.c",
            plugin(
                4, "int file = open(\"loads\", O_CREAT | O_APPEND | O_WRONLY, 0600); write(file, \"x\", 1);"))
        let text = try String(contentsOf: folder.url("app.toml"), encoding: .utf8)
        let program = try startWaiting(in: folder)
        for round in 1...3 {
            #expect(program.nextLine() == "ready")
            try #require(program.waitForErrors(" to run again, ", times: round))
            // One trial, and one load for each start.
            let loads = try String(contentsOf: folder.url("loads"), encoding: .utf8)
            #expect(loads.count == 1 + round)
            try folder.write("app.toml", text + "# Round \(round).\n")
        }
        kill(program.identifier, SIGINT)
        #expect(program.end().status == 0)
    }

    /// A start waits for a device longer than a swap may.
    @Test func aCreateThatTakesLongAtAStart_isNotRefused() throws {
        let folder = try folder(until: 4)
        try folder.write(
            "numbers.c",
            "#include <fcntl.h>\n"
                + keeper(
                    4, "",
                    create: "if (open(\"tried\", O_CREAT | O_EXCL, 0600) >= 0) for (;;) pause();"))
        let program = try startWaiting(in: folder)
        #expect(program.nextLine() == "ready")
        try #require(program.waitForErrors(" to run again, "))
        kill(program.identifier, SIGINT)
        let end = program.end()
        #expect(end.status == 0 && !end.errors.contains("error"), "\(end.errors)")
        #expect(FileManager.default.fileExists(atPath: folder.url("tried").path))
    }
}
