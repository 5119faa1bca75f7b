import Foundation
import TestSupport
import Testing

/// What a plugin leaves behind in a running host: threads, keys, destructors and exit handlers.
@Suite(.timeLimit(.minutes(10))) struct PluginResidueTests {
    @Test(arguments: [
        "misbehaves.c leave_thread", "residue.cpp use_thread_local", "residue.cpp leave_key",
        "residue.cpp leave_exit_handler",
    ])
    func app_endsInOrder(_ what: String) throws {
        let words = what.split(separator: " ")
        let library = try CompiledFixture(String(words[0]))
        // On the loop's thread, on one that goes away sooner, and on one of the feedback's own.
        for executor in ["loop", "pool", "queue"] {
            let folder = try TemporaryFolder()
            try folder.write(
                "app.toml",
                """
                [plugins.lib]
                library = "\(library.file.path)"
                [loops.main]
                state   = { n = 0 }
                events  = { ended = {} }
                on      = { ended = { set = { n = "state.n + 1" } } }
                until   = "state.n == 3"
                [loops.main.feedback]
                leave = { effect = "lib:\(words[1])", executor = "\(executor)", trigger = "state", when = "state.n < 3", emit = { event = "ended" } }

                """)
            let outcome = try Shell.run(Project.spinhost, ["--quiet"], in: folder.root)
            #expect(outcome.status == 0, "\(executor): \(outcome.errors)")
            #expect(outcome.errors == "", "\(executor)")
        }
    }

    /// A plugin whose first version starts a thread that writes to a file until the process ends.
    private static func source(_ version: Int) -> String {
        """
        #include <fcntl.h>
        #include <pthread.h>
        #include <spinhost/plugin.h>
        #include <unistd.h>
        SPIN_PLUGIN("numbers", "\(version).0");
        static void *write_on(void *context) {
            for (;; usleep(1000))
                if (write((int)(intptr_t)context, "\(version)", 1) != 1)
                    return 0;
        }
        static void leave_nothing(void *context) { (void)write((int)(intptr_t)context, "d", 1); }
        static int32_t number(const char *path) {
            pthread_t thread;
            pthread_key_t key;
            intptr_t file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
            if (\(version) == 1) {
                pthread_key_create(&key, leave_nothing);
                pthread_setspecific(key, (void *)file);
                pthread_create(&thread, 0, write_on, (void *)file);
            }
            return \(version);
        }
        SPIN_EFFECT(int32_t, number, (const char *path), "");
        """
    }

    @Test func aThreadOfAVersionThatWasSwapped_runsOn() throws {
        let folder = try TemporaryFolder()
        let beats = folder.url("beats")
        try folder.write(
            "app.toml",
            """
            app.name = "door"
            [plugins.numbers]
            library = "./lib.so"
            [loops.main]
            state   = { answer = 0 }
            events  = { asked = {}, answered = { answer = "int" } }
            on.answered = { set = { answer = "event.answer" } }
            [loops.main.feedback.ask]
            effect  = "numbers:number"
            args    = ["'\(beats.path)'"]
            on      = "asked"
            emit    = { event = "answered", answer = "result" }

            """)
        func compile(_ version: Int) throws {
            let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
            _ = try CCompiler().sharedObject(
                Self.source(version), in: folder, as: "lib.so", flags: ["-I\(include)", "-pthread"])
        }
        try compile(1)
        let host = try ControlledHost(in: folder, ["--json"])
        #expect(host.program.nextLine().contains(#""step":0"#))
        func ask() throws {
            #expect(try host.spinhost("send", "asked").status == 0)
            #expect(host.program.nextLine().contains(#""event":"asked""#))
        }
        try ask()
        #expect(host.program.nextLine().contains(#""answer":1}"#))
        for version in 2...4 {
            try compile(version)
            #expect(
                try host.spinhost("swap", "numbers").output == "swapped \(version - 1).0 → \(version).0\n")
            #expect(host.program.nextLine().contains(#""outcome":"swapped""#))
            try ask()
            #expect(host.program.nextLine().contains(#""answer":\#(version)}"#))
            // The thread goes on in the first version's code.
            let before = try Data(contentsOf: beats).count
            try blockUntil { try Data(contentsOf: beats).count >= before + 20 }
        }
        let end = host.end()
        #expect(end.status == 0 && end.errors.contains("steps"), "\(end)")
        #expect(try Set(Data(contentsOf: beats)).isSubset(of: Set("1d".utf8)))
    }
}
