import Foundation
import TestSupport
import Testing

/// New versions that `spinhost dev` tries in a process of their own before it loads them.
@Suite(.timeLimit(.minutes(10))) struct DevTrialTests {
    /// A plugin that answers a number, with a constructor of these lines.
    private func plugin(_ number: Int, _ constructor: String = "") -> String {
        """
        #include <spinhost/plugin.h>
        #include <stdlib.h>
        #include <unistd.h>
        SPIN_PLUGIN("numbers", "\(number).0");
        __attribute__((constructor)) static void construct(void) { \(constructor) }
        static int32_t number(void) { return \(number); }
        SPIN_EFFECT(int32_t, number, (void), "");
        """
    }

    @Test func whatCrashesHangsOrExitsWhenItIsLoaded_isRefused_andTheHostGoesOn() throws {
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
            until  = "state.answer == 4"
            on.answered = { set = { answer = "event.answer" } }
            [loops.main.feedback]
            ask = { effect = "numbers:number", trigger = "state", emit = { event = "answered", answer = "result" } }
            say = { effect = "std:print", args = ["'ready'"] }
            """)
        try folder.write("numbers.c", plugin(1))
        let program = try RunningProgram(["dev"], in: folder.root)
        #expect(program.nextLine() == "ready")
        let bad = [
            ("abort();", "the process was ended by SIGABRT"),
            ("*(volatile int *)8 = 1;", "SIGSEGV"),
            ("_exit(3);", "the process ended with exit code 3, and without an answer"),
            ("for (;;) pause();", "it does not come to an end within 5 seconds"),
        ]
        for (constructor, reason) in bad {
            try folder.write("numbers.c", plugin(2, constructor))
            #expect(program.waitForErrors(reason), "\(constructor)")
            // The next one is no other before that was said.
            #expect(program.waitForErrors("refused\n"))
        }
        try folder.write("numbers.c", plugin(4))
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.contains("error[P087]: tried in a process of its own, the new version fails: "))
        #expect(end.errors.contains("swapped `numbers` 1.0 → 4.0\n"), "\(end.errors)")
        #expect(end.errors.contains("replaced libraries: 1 unmapped\n"), "\(end.errors)")
    }
}
