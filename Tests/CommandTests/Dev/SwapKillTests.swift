import Foundation
import Glibc
import TestSupport
import Testing

/// A host that is killed in the middle of a swap, and the next one with the same manifest.
@Suite(.timeLimit(.minutes(10))) struct SwapKillTests {
    /// Where the host is killed: before there are instances to exchange, and then among them.
    private static let stages = ["build", "trial", "load", "flip", "after"]
    private static let stagesOfInstances = [
        "stop", "save", "restoring trial", "restore", "start", "probation", "roll-back",
    ]

    /// A version of the plugin that says where it is, and waits there for a file if it is asked to.
    ///
    /// The process that tries it has `--worker` among its arguments.
    private func source(_ version: Int, stage: String) -> String {
        #"""
        #include <fcntl.h>
        #include <spinhost/plugin.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        SPIN_PLUGIN("numbers", "VERSION.0");
        static int tries;
        static void reach(const char *stage) {
            if (strcmp(stage, "STAGE") != 0)
                return;
            close(open("reached", O_CREAT | O_WRONLY, 0600));
            while (access("go", F_OK) != 0)
                usleep(1000);
        }
        __attribute__((constructor)) static void construct(void) {
            char words[4096] = {0};
            int file = open("/proc/self/cmdline", O_RDONLY);
            ssize_t size = read(file, words, sizeof words - 1);
            close(file);
            for (const char *word = words; word < words + size; word += strlen(word) + 1)
                tries |= strcmp(word, "--worker") == 0;
            if (VERSION > 1)
                reach(tries ? "trial" : "load");
        }
        EFFECT
        """#.replacing("EFFECT", with: Self.stagesOfInstances.contains(stage) ? Self.instance : Self.function)
            .replacing("VERSION", with: "\(version)").replacing("STAGE", with: stage)
    }

    private static let function = """
        static int32_t number(void) {
            if (VERSION == 1)
                reach("flip");
            return VERSION;
        }
        SPIN_EFFECT(int32_t, number, (void), "");
        """

    /// What the old version does for the new one, and what that does; in the last stage it crashes as long as nobody waits.
    private static let instance = """
        \(InstanceSource.text("int32_t number, starts;"))
        static spin_status start(spin_call *call, spin_self *self) {
            (void)call;
            if (VERSION > 1)
                reach("start");
            else if (self->starts++ > 0)
                reach("roll-back");
            return SPIN_OK;
        }
        static void stop(spin_self *self) {
            (void)self;
            if (VERSION == 1)
                reach("stop");
        }
        SPIN_LIFE(start, stop);
        static spin_status save(spin_call *call, spin_self *self, spin_saving *saving) {
            (void)call;
            if (VERSION == 1)
                reach("save");
            return spin_write(saving, &self->number, sizeof self->number);
        }
        static spin_status restore(spin_call *call, spin_self *self, const spin_saved *saved) {
            (void)call;
            (void)self;
            (void)saved;
            if (VERSION > 1)
                reach(tries ? "restoring trial" : "restore");
            return SPIN_OK;
        }
        SPIN_SWAP(save, restore, 1);
        static int32_t number(spin_self *self) {
            (void)self;
            if (VERSION > 1)
                reach("probation");
            if (VERSION > 1 && strcmp("STAGE", "roll-back") == 0 && access("go", F_OK) != 0)
                *(volatile int32_t *)8 = 1;
            return VERSION;
        }
        SPIN_EFFECT(int32_t, number, (spin_self *self), "");
        """

    @Test(arguments: stages + stagesOfInstances)
    func theNextHost_begins_andRemovesWhatIsLeft(_ stage: String) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url("tmp"), withIntermediateDirectories: false)
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        let build =
            stage == "build"
            ? "[ ! -e lib.so ] || { touch reached; while [ ! -e go ]; do sleep 0.02; done; exit; }; " : ""
        try folder.write(
            "app.toml",
            """
            app.name = "kill-\(UUID().uuidString)"
            [plugins.numbers]
            library   = "./lib.so"
            isolation = "guarded"
            source  = "numbers.c"
            build   = "\(build)cc -I$INCLUDE -shared -fPIC -o lib.so numbers.c"
            [loops.main]
            state  = { answer = 0 }
            events = { answered = { answer = "int" } }
            on.answered = { set = { answer = "event.answer" } }
            [loops.main.feedback]
            say = { effect = "std:print", args = ["'begun'"] }
            ask = { effect = "numbers:number", trigger = "state", emit = { event = "answered", answer = "result" }, on-error = { event = "answered", answer = "0" } }
            """)
        try folder.write("numbers.c", source(1, stage: stage))
        let environment = ["TMPDIR": folder.url("tmp").path, "INCLUDE": include]
        let first = try RunningProgram(["dev"], in: folder.root, environment: environment)
        try #require(first.nextLine() == "begun")
        // In the stage `flip` the loop waits in an effect of the old version, and the swap for the loop.
        if stage == "flip" { try wait(for: folder.url("reached")) }
        try folder.write("numbers.c", source(2, stage: stage))
        switch stage {
        case "after": try #require(first.waitForErrors("swapped `numbers` 1.0 → 2.0\n"))
        case "flip":
            // The new library is mapped beside the old one.
            try blockUntil { copies(of: first.identifier) >= 2 }
        default: try wait(for: folder.url("reached"))
        }
        kill(first.identifier, SIGKILL)
        // What it has started holds its outputs open.
        try blockUntil { hasEnded(first.identifier) }
        try folder.write("go", "")
        _ = first.end()
        let second = try RunningProgram(["dev"], in: folder.root, environment: environment)
        try #require(second.nextLine() == "begun")
        kill(second.identifier, SIGTERM)
        let end = second.end()
        #expect(end.status == 0, "\(end.errors)")
        // A third one finds what the process of a trial may have left later than that.
        let third = try Shell.run(
            Project.spinhost, ["call", "libc.so.6", "int abs(int)", "1"], in: folder.root,
            environment: environment)
        #expect(third.status == 0, "\(third.errors)")
        try blockUntil {
            _ = try Shell.run(
                Project.spinhost, ["call", "libc.so.6", "int abs(int)", "1"], in: folder.root,
                environment: environment)
            return try FileManager.default.contentsOfDirectory(atPath: folder.url("tmp").path).isEmpty
        }
    }

    /// Whether a child of this process has ended.
    private func hasEnded(_ process: Int32) -> Bool {
        let status = try? FileHandle(forReadingAtPath: "/proc/\(process)/stat")?.readToEnd()
        return status.map { String(decoding: $0, as: UTF8.self).contains(") Z ") } ?? true
    }

    private func wait(for file: URL) throws {
        try blockUntil { FileManager.default.fileExists(atPath: file.path) }
    }

    /// How many copies of the library a process has mapped.
    private func copies(of process: Int32) -> Int {
        // Its size is 0, so that it must be read until the end.
        let maps = (try? FileHandle(forReadingAtPath: "/proc/\(process)/maps")?.readToEnd()) ?? Data()
        return Set(
            String(decoding: maps, as: UTF8.self).split(separator: "\n").compactMap { line in
                line.split(separator: " ").last.map(String.init).flatMap {
                    $0.hasSuffix("/lib.so") ? $0 : nil
                }
            }
        ).count
    }
}
