import Foundation
import TestSupport
import Testing

/// Effects of `std` that are cancelled by the hundred: when the app has nothing else to do, they are gone.
@Suite(.timeLimit(.minutes(10))) struct CancelledEffectTests {
    /// What the process has of threads and descriptors. Folders and files do not count: the effects of this app open none, and the host,
    /// which clears what killed hosts have left beside its own start, does.
    private static let probe = """
        #include <dirent.h>
        #include <stdio.h>
        #include <string.h>
        #include <stdlib.h>
        #include <sys/stat.h>
        long same(long n) { return n; }
        int descriptors(void) {
            int count = 0;
            DIR *folder = opendir("/proc/self/fd");
            for (struct dirent *entry; (entry = readdir(folder));) {
                struct stat file;
                if (fstat(atoi(entry->d_name), &file) == 0 && !S_ISDIR(file.st_mode) && !S_ISREG(file.st_mode)) count++;
            }
            closedir(folder);
            return count;
        }
        int threads(void) {
            int count = 0;
            DIR *folder = opendir("/proc/self/task");
            for (struct dirent *entry; (entry = readdir(folder));) {
                char path[300], name[32] = "";
                snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
                FILE *file = fopen(path, "r");
                if (!file) continue;
                if (fgets(name, sizeof name, file) && strstr(name, " of std")) count++;
                fclose(file);
            }
            closedir(folder);
            return count;
        }

        """

    /// The app begins and ends runs in a row, waits in the last state but one until it sees threads of them, and looks at itself again
    /// and again in the last one until nothing is left, which is its end.
    private static let manifest = """
        config = { last = 200, pipe = "PIPE" }
        [plugins.probe]
        library  = "./probe.so"
        declares = "long same(long n); int descriptors(void); int threads(void);"
        [loops.main]
        state  = { n = 0, before = -1, descriptors = -1, threads = -1, most = 0 }
        events = { began = { descriptors = "int" }, next = {}, ticked = {}, opened = { descriptors = "int" }, lived = { threads = "int" }, line = { text = "string" }, ended = { lines = "int" }, output = { text = "string" }, exited = { code = "i32", signal = "i32" }, signalled = { count = "int" } }
        until  = "state.n == config.last && state.threads == 0 && state.descriptors == state.before"
        [loops.main.on]
        began  = { set = { before = "event.descriptors", n = 1 } }
        next   = { set = { n = "state.n + 1" } }
        ticked = {}
        opened = { set = { descriptors = "event.descriptors" } }
        lived  = { set = { threads = "event.threads", most = "math.greatest(state.most, event.threads)" } }
        [loops.main.feedback]
        begin  = { effect = "probe:descriptors", when = "state.n == 0", emit = { event = "began", descriptors = "result" } }
        count  = { effect = "probe:same", args = ["state.n"], when = "state.n > 0 && state.n < config.last && (state.n < config.last - 1 || state.most > 0)", emit = { event = "next" } }
        lines  = { effect = "std:lines", args = ["config.pipe"], trigger = "state", when = "state.n > 0 && state.n < config.last" }
        follow = { effect = "std:follow", args = ["config.pipe + '-none'", "'end'"], trigger = "state", when = "state.n > 0 && state.n < config.last" }
        exec   = { effect = "std:exec", args = ["['sleep', '1000', string(state.n)]"], when = "state.n > 0 && state.n < config.last && state.n % 20 != 0", emits.error_output = [] }
        signal = { effect = "std:signal", args = ["'WINCH'"], trigger = "state", when = "state.n > 0 && state.n < config.last" }
        clock  = { effect = "std:every", args = ["1ms"], when = "state.n == config.last || state.n == config.last - 1", emit = { event = "ticked" } }
        open   = { effect = "probe:descriptors", on = "ticked", emit = { event = "opened", descriptors = "result" } }
        live   = { effect = "probe:threads", on = "ticked", emit = { event = "lived", threads = "result" } }

        """

    @Test func noThreadAndNoDescriptorIsLeft() throws {
        let folder = try TemporaryFolder()
        _ = try CCompiler().sharedObject(Self.probe, in: folder, as: "probe.so")
        let pipe = try folder.pipe("pipe").path
        try folder.write("app.toml", Self.manifest.replacing("PIPE", with: pipe))
        let outcome = try Spinhost.run("--json", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.hasPrefix("done: "), "\(outcome.errors)")
        #expect(outcome.errors.contains("0 faults"), "\(outcome.errors)")
    }
}
