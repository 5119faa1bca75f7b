import Foundation
import TestSupport
import Testing

/// `spinhost plugin profile` and `plugin info --sandbox`: what plugins need, and what they may do.
@Suite(.timeLimit(.minutes(10))) struct PluginProfileTests {
    private let folder: TemporaryFolder

    /// An app with a library that reads, makes and removes files, looks into a folder, and makes a socket.
    init() throws {
        folder = try TemporaryFolder()
        for number in 0..<12 { try folder.write("in/\(number)", "") }
        _ = try CCompiler().sharedObject(
            """
            #include <fcntl.h>
            #include <netinet/in.h>
            #include <stdio.h>
            #include <sys/socket.h>
            #include <unistd.h>
            static int opened(const char *folder, const char *name, int flags) {
                char path[4096];
                snprintf(path, sizeof path, "%s/%s", folder, name);
                int file = open(path, flags, 0600);
                close(file);
                if (flags & O_CREAT)
                    unlink(path);
                return file >= 0;
            }
            long use(const char *folder) {
                int done = opened(folder, "app.toml", O_RDONLY) + opened(folder, "new", O_CREAT | O_RDWR);
                done += opened(folder, "missing", O_RDONLY);
                for (int i = 0; i < 12; i++) {
                    char name[16];
                    snprintf(name, sizeof name, "in/%d", i);
                    done += opened(folder, name, O_RDONLY);
                }
                struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(81)};
                int stream = socket(AF_INET, SOCK_STREAM, 0);
                connect(stream, (struct sockaddr *)&place, sizeof place);
                close(stream);
                stream = socket(AF_INET, SOCK_STREAM, 0);
                place.sin_port = 0;
                bind(stream, (struct sockaddr *)&place, sizeof place);
                listen(stream, 1);
                close(stream);
                place.sin_port = htons(81);
                int datagrams = socket(AF_INET, SOCK_DGRAM, 0);
                connect(datagrams, (struct sockaddr *)&place, sizeof place);
                close(datagrams);
                close(socket(AF_UNIX, SOCK_STREAM, 0));
                close(open("/spinhost-missing-folder/x", O_CREAT | O_WRONLY, 0600));
                return done;
            }
            """, in: folder, as: "lib.so")
        try writeManifest("sandbox = { env = { LANG = \"C\" } }")
    }

    private func writeManifest(_ sandbox: String, isolation: String = "process") throws {
        try folder.write(
            "app.toml",
            """
            app.name = "profile"
            [plugins.files]
            library   = "./lib.so"
            isolation = "\(isolation)"
            declares  = "long use(const char *folder);"
            \(sandbox)
            [plugins.libm]
            library  = "libm.so.6"
            declares = "double sqrt(double x);"
            [loops.main]
            state   = { done = 0 }
            events  = { used = { done = "int" } }
            until   = "state.done != 0"
            on.used = { set = { done = "event.done" } }
            [loops.main.feedback]
            use = { effect = "files:use", args = ["'\(folder.root.path)'"], emit = { event = "used", done = "result" } }

            """)
    }

    private func run(_ words: String...) throws -> Shell.Outcome {
        try Shell.run(Project.spinhost, words, in: folder.root)
    }

    @Test func whatAPluginNeeds_isItsTable() throws {
        let found = try run("plugin", "profile", "files", "--quiet", "-o", "found.toml")
        #expect(found.status == 0 && found.output == "" && found.errors == "", "\(found.errors)")
        let root = folder.root.resolvingSymlinksInPath().path
        let table = try String(contentsOf: folder.url("found.toml"), encoding: .utf8)
        // All is below the folder in which it makes a file, which it reads, too.
        #expect(
            table == """
                [plugins.files.sandbox]
                read    = ["\(root)"]
                write   = ["\(root)"]
                connect = ["tcp:81"]
                listen  = ["tcp:0"]
                # It needs what no rule allows: connecting to `udp`

                """)
        // Under that table the library does the same, and the kernel refuses only what no rule allows.
        try writeManifest(table)
        let after = try run("run", "--steps")
        #expect(after.status == 0 && after.output.contains("done 0 → 14"), "\(after)")
        #expect(after.errors.ranges(of: "was refused").count == 2, "\(after.errors)")
        for peer in ["udp", "unix"] {
            #expect(after.errors.contains("connecting to `\(peer)` was refused"), "\(after.errors)")
        }
    }

    @Test func anAppThatDoesNotBegin_leavesTheFile() throws {
        try folder.write("found.toml", "keep")
        try folder.write("lib.so", "no library")
        let outcome = try run("plugin", "profile", "-o", "found.toml")
        #expect(outcome.status != 0 && outcome.output == "" && outcome.errors.contains("P006"))
        #expect(try String(contentsOf: folder.url("found.toml"), encoding: .utf8) == "keep")
    }

    @Test func aFileThatCannotBeWritten_losesNoTable() throws {
        let outcome = try run("plugin", "profile", "--quiet", "-o", "missing/found.toml")
        let table = try run("plugin", "profile", "--quiet")
        #expect(
            table.status == 0 && table.errors == "" && table.output.hasPrefix("[plugins.files.sandbox]\n"))
        #expect(outcome.status == 69 && outcome.output == table.output, "\(outcome)")
        #expect(
            outcome.errors == "error: `missing/found.toml` cannot be written: no such file or directory\n")
    }

    @Test func withoutAProfile_theKernelRefuses() throws {
        let outcome = try run("run", "--steps")
        #expect(outcome.output.contains("done 0 → 14") == false, "\(outcome.output)")
        #expect(outcome.errors.contains("allow it with `read = [\""), "\(outcome.errors)")
        // A file that is made needs a rule for its folder.
        let root = folder.root.resolvingSymlinksInPath().path
        #expect(
            outcome.errors.contains(
                "writing `\(root)/new` was refused; allow it with `write = [\"\(root)\"]`"),
            "\(outcome.errors)")
    }

    @Test func whatAPluginMayDo_isPrinted() throws {
        let text = try run("plugin", "info", "--sandbox")
        #expect(text.status == 0 && text.errors == "")
        #expect(
            text.output == """
                [plugins.files.sandbox]
                read         = []
                write        = []
                exec         = []
                connect      = []
                listen       = []
                env          = { LANG = "C" }
                files        = 64
                processes    = 0
                cancel-grace = "2s"
                restart      = { backoff = ["0.1s", "10s"], limit = 5, within = "60s" }

                # libm: `isolation = "inline"`, so it may do what the host may do

                """)
        let check = try Shell.run(Project.spinhost, ["fmt", "--check", "-"], input: text.output)
        #expect(check.status == 0 && check.output == "", "\(check)")
        let lines = try run("plugin", "info", "--sandbox", "--json").output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(
            lines.last == #"{"plugin":"libm","isolation":"inline","sandbox":null,"beyond":[],"missing":[]}"#)
    }

    @Test func misuse_isExit64() throws {
        for (words, reason) in [
            (["plugin", "profile", "libm"], "so it has no sandbox"),
            (["plugin", "profile", "fils"], "did you mean `files`?"),
            (["plugin", "info"], "Missing expected argument '<file>'"),
            (["plugin", "info", "lib.so", "--sandbox"], "leave out the file"),
            (["plugin", "info", "lib.so", "--manifest", "app.toml"], "belongs to `--sandbox`"),
        ] {
            let outcome = try Shell.run(Project.spinhost, words, in: folder.root)
            #expect(outcome.status == 64 && outcome.output == "", "\(words)")
            #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        }
        try writeManifest("", isolation: "guarded")
        let none = try run("plugin", "profile")
        #expect(none.status == 64 && none.errors.contains("no plugin of the manifest has a sandbox"))
    }
}
