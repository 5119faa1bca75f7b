import App
import Foundation
import TestSupport
import Testing

/// Callbacks in runs: faults, full mailboxes, cancelled runs, and calls after the end.
@Suite(.timeLimit(.minutes(10))) struct CallbackRunTests {
    private static let library = """
        #include <pthread.h>
        #include <semaphore.h>
        #include <stdlib.h>
        #include <unistd.h>
        typedef int (*each)(int n);
        static sem_t gate;
        __attribute__((constructor)) static void begin(void) { sem_init(&gate, 0, 0); }
        int sum(each answer, int count) {
            int total = 0;
            for (int n = 1; n <= count; n++)
                total += answer(n);
            return total;
        }
        int until(each answer) {
            int result = 0;
            for (int n = 1; result == 0; n = n < 1000000 ? n + 1 : 2)
                result = answer(n);
            return result;
        }
        int flood(each answer, int count) {
            const int total = sum(answer, count);
            sem_post(&gate);
            return total;
        }
        int hold(void) { return sem_wait(&gate); }
        struct later { each answer; int from, to; };
        static void *call_later(void *argument) {
            struct later *later = argument;
            char byte;
            while (read(later->from, &byte, 1) == 1) {
                byte = (char)later->answer(byte);
                if (write(later->to, &byte, 1) != 1)
                    break;
            }
            return NULL;
        }
        int keep(each answer, int from, int to) {
            struct later *later = malloc(sizeof *later);
            pthread_t thread;
            *later = (struct later){answer, from, to};
            pthread_create(&thread, NULL, call_later, later);
            pthread_detach(thread);
            return answer(1);
        }
        int give(int (*heard)(const char *text), int kind) {
            return kind == 0 ? heard(NULL) : heard("M\\374hle");
        }
        int version(void) { return 1; }
        """

    private static func manifest(_ loop: String, keys: String = "") -> String {
        """
        [plugins.lib]
        library  = "./lib.so"
        \(keys)
        declares = \"\"\"
        typedef int (*each)(int n);
        int sum(each answer, int count);
        int until(each answer);
        int flood(each answer, int count);
        int hold(void);
        int keep(each answer, int from, int to);
        int give(int (*heard)(const char *text), int kind);
        int version(void);
        \"\"\"
        [loops.main]
        events = { heard = { n = "int" }, done = { n = "int" }, failed = { code = "int", text = "string" } }
        \(loop)

        """
    }

    private static let state = """
        state  = { zero = 0, heard = 0, result = 0, code = 0, text = "" }
        [loops.main.on]
        heard  = { set = { heard = "state.heard + event.n" } }
        done   = { set = { result = "event.n" } }
        failed = { set = { code = "event.code", text = "event.text" } }
        [loops.main.feedback.call]
        on-error = { event = "failed", code = "error.code", text = "error.message" }
        emit     = { event = "done", n = "result" }

        """

    @Test(arguments: ["loop", "pool"])
    func eachCall_isAnsweredAndBecomesAnEvent(executor: String) async throws {
        let run = RecordedRun()
        _ = try await run.run(
            Self.manifest(
                Self.state + """
                    executor = "\(executor)"
                    effect   = "lib:sum"
                    args     = [{ callback = { result = "2 * value.n + int(state.heard)", emit = { event = "heard", if = "value.n % 2 == 1", n = "value.n" } } }, 4]
                    """), library: Self.library)
        #expect(run.faults == [])
        #expect(
            run.steps.dropFirst() == [
                #"heard{"n":1} {"zero":0,"heard":1,"result":0,"code":0,"text":""}"#,
                #"heard{"n":3} {"zero":0,"heard":4,"result":0,"code":0,"text":""}"#,
                #"done{"n":20} {"zero":0,"heard":4,"result":20,"code":0,"text":""}"#,
            ])
    }

    @Test func expressionWithoutAValue_givesOnFault_andFailsTheRunAfterTheCall() async throws {
        let run = RecordedRun()
        _ = try await run.run(
            Self.manifest(
                Self.state + """
                    effect   = "lib:until"
                    args     = [{ callback = { result = "value.n == 3 ? 7 / int(state.zero) : 0", on-fault = -1, emit = { event = "heard", n = "value.n" } } }]
                    """), library: Self.library)
        #expect(run.faults == [])
        #expect(
            run.steps.last
                == #"failed{"code":-1000,"text":"`7 / 0` divides by zero"} {"zero":0,"heard":3,"result":0,"code":-1000,"text":"`7 / 0` divides by zero"}"#
        )
    }

    @Test(arguments: [
        (0, "`heard`: it is a null pointer"), (1, "`heard`: the text is not UTF-8 at byte 1"),
    ])
    func invalidValue_failsTheRunAfterTheCall(kind: Int, reason: String) async throws {
        let run = RecordedRun()
        _ = try await run.run(
            Self.manifest(
                Self.state + """
                    effect   = "lib:give"
                    args     = [{ callback = "size(value.text)" }, \(kind)]
                    """), library: Self.library)
        #expect(run.faults == [])
        let message =
            "`give` called `heard` with a value that is not of its type: "
            + reason.replacing("`heard`", with: "`text`")
        #expect(
            run.steps.last?.hasPrefix(#"failed{"code":-1023,"text":"\#(message)"}"#) == true, "\(run.steps)")
    }

    @Test(.inThisProcess("a call in a worker holds up no loop, so its mailbox is not full"))
    func fullMailbox_givesOnFault_andFailsTheRunAfterTheCall() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(
                """
                mailbox = { capacity = 2 }
                state   = { heard = 0 }
                on      = { heard = { set = { heard = "state.heard + event.n" } } }
                [loops.main.feedback.call]
                executor = "pool"
                effect   = "lib:flood"
                args     = [{ callback = { emit = { event = "heard", n = 1 } } }, 10]
                [loops.main.feedback.hold]
                effect   = "lib:hold"
                """), library: Self.library)
        #expect(
            run.faults.map { $0.replacing(#/main \d+/#, with: "main") } == [
                "main feedback:call: an event of callback `answer` is lost: the loop's mailbox is full"
            ])
        #expect(run.steps.last == #"heard{"n":1} {"heard":2}"#)
        #expect(end.counters.steps == 2)
    }

    @Test func cancelledRun_getsOnFault_soThatTheFunctionCanEnd() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.manifest(
                """
                state = { stop = false }
                until = "state.stop"
                on    = { heard = { set = { stop = true } } }
                [loops.main.feedback.call]
                executor = "pool"
                effect   = "lib:until"
                args     = [{ callback = { on-fault = 9, emit = { event = "heard", if = "value.n == 1", n = 1 } } }]
                when     = "!state.stop"
                """), library: Self.library)
        #expect(end.outcome == .done)
        #expect(end.abandoned == [])
        #expect(run.faults == [])
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin")) func callAfterTheEndOfTheApp_getsOnFault()
        async throws
    {
        let (from, to) = (Pipe(), Pipe())
        let run = RecordedRun()
        let end = try await run.run(Self.keeping(from, to), library: Self.library)
        #expect(end.outcome == .done, "\(run.faults)")
        #expect(try Self.ask(from, to) == 7)
        try from.fileHandleForWriting.close()
        #expect(run.logged.count == 1)
        #expect(run.logged.first?.hasSuffix("lib.so 1: effect `keep`: \(Self.late)") == true, "\(run.logged)")
    }

    @Test(.inThisProcess("it shares a descriptor with its plugin"))
    func callAfterASwap_getsOnFault_whileTheNewVersionAnswers() async throws {
        let (from, to) = (Pipe(), Pipe())
        let world = try SwapWorld(
            Self.keeping(from, to, until: "state.version == 2")
                + """
                ask = { effect = "lib:version", trigger = "state", when = "state.kept == 5", emit = { event = "done", n = "result" } }

                """, Self.library)
        defer { world.app.close() }
        let run = world.app.start(observer: world.record)
        await world.record.until { $0.count > 3 }
        try world.build(Self.library.replacing("return 1; }", with: "return 2; }"))
        try await world.swap("lib", in: run)
        #expect(await run.finished().outcome == .done)
        #expect(try Self.ask(from, to) == 7)
        try from.fileHandleForWriting.close()
        #expect(world.record.faults == [])
    }

    private static let late =
        "it called a callback after the call that it was for had ended: nobody answers it"

    /// A loop whose library keeps a callback, which it calls for each byte that it reads, and writes the result.
    private static func keeping(_ from: Pipe, _ to: Pipe, until: String = "state.kept == 5") -> String {
        manifest(
            """
            state = { kept = 0, version = 0 }
            until = "\(until)"
            on    = { heard = { set = { kept = "event.n" } }, done = { set = { version = "event.n" } } }
            [loops.main.feedback]
            call = { effect = "lib:keep", args = [{ callback = { result = 5, on-fault = 7 } }, \(from.fileHandleForReading.fileDescriptor), \(to.fileHandleForWriting.fileDescriptor)], emit = { event = "heard", n = "result" } }

            """)
    }

    private static func ask(_ from: Pipe, _ to: Pipe) throws -> UInt8? {
        try from.fileHandleForWriting.write(contentsOf: [1])
        return try to.fileHandleForReading.read(upToCount: 1)?.first
    }

    @Test func effectOfAPlugin_takesCallbacksToo() async throws {
        let run = RecordedRun()
        _ = try await run.run(
            """
            [plugins.walks]
            library = "./lib.so"
            [loops.main]
            state  = { names = ["first"] }
            events = { visited = { name = "string" } }
            on     = { visited = { set = { names = "state.names + [event.name]" } } }
            [loops.main.feedback.walk]
            effect = "walks:walk"
            args   = [{ callback = { result = "value.depth < 2", emit = { event = "visited", name = "value.name" } } }, 9]

            """,
            library: """
                #include <stdbool.h>
                #include <spinhost/plugin.h>
                SPIN_PLUGIN("walks", "1.0.0");
                static void walk(bool (*visit)(const char *name, int32_t depth), int32_t depth) {
                    static const char *const names[] = {"a", "b", "c", "d"};
                    for (int32_t i = 0; i < depth && visit(names[i], i); i++)
                        ;
                }
                SPIN_EFFECT(void, walk, (bool (*visit)(const char *name, int32_t depth), int32_t depth), "");
                """)
        #expect(run.faults == [])
        #expect(run.steps.last == #"visited{"name":"c"} {"names":["first","a","b","c"]}"#)
    }

    @Test func crashOfAGuardedPlugin_endsTheRunWithTheCrash() async throws {
        let run = RecordedRun()
        _ = try await run.run(
            Self.manifest(
                Self.state + """
                    effect   = "lib:sum"
                    args     = [{ callback = { result = "7 / int(state.zero)" } }, 3]
                    """, keys: "isolation = \"guarded\""),
            library: Self.library.replacing(
                "total += answer(n);\n    return total;\n}\nint until",
                with: "total += answer(n);\n    *(volatile int *)16 = total;\n    return total;\n}\nint until"
            ))
        #expect(run.steps.last?.hasPrefix(#"failed{"code":-1120,"#) == true, "\(run.steps)")
    }
}
