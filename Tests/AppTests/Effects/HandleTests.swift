import App
import Foundation
import TestSupport
import Testing

/// `release`: who closes the pointers that a library's functions open.
@Suite(.timeLimit(.minutes(10))) struct HandleTests {
    private let folder = Result { try TemporaryFolder() }

    /// A library whose functions note in a file what they open and close.
    private func library() throws -> String {
        """
        #include <semaphore.h>
        #include <stdio.h>
        #include <stdlib.h>
        struct handle { long number; };
        static sem_t gate;
        __attribute__((constructor)) static void begin(void) { sem_init(&gate, 0, 0); }
        static void note(const char *what, long number) {
            FILE *file = fopen("\(try folder.get().url("log").path)", "a");
            fprintf(file, "%s %ld\\n", what, number);
            fclose(file);
        }
        long same(long n) { return n; }
        struct handle *open_handle(long number) {
            struct handle *made = malloc(sizeof *made);
            made->number = number;
            note("open", number);
            return made;
        }
        int open_pair(long number, struct handle **first, struct handle **second) {
            *first = open_handle(number);
            *second = open_handle(number + 1);
            return number == 7 ? -1 : 0;
        }
        struct handle *open_slowly(long number) {
            sem_wait(&gate);
            return open_handle(number);
        }
        void let_go(void) { sem_post(&gate); sem_post(&gate); }
        const struct handle *borrow(void) { static struct handle mine; return &mine; }
        long number_of(struct handle *handle) { return handle->number; }
        int close_handle(struct handle *handle) { note("close", handle->number); free(handle); return 0; }
        """
    }

    private static let plugin = """
        [plugins.lib]
        library  = "./lib.so"
        release  = "close_handle"
        declares = \"\"\"
        struct handle;
        long same(long n);
        struct handle *open_handle(long number);
        int open_pair(long number, struct handle **first, struct handle **second);
        struct handle *open_slowly(long number);
        const struct handle *borrow(void);
        void let_go(void);
        long number_of(struct handle *handle);
        int close_handle(struct handle *handle);
        \"\"\"

        """

    /// A loop whose state moves from 1 to 2 while a pointer is opened for each, up to its feedbacks, which follow.
    private static let moving = """
        [loops.main]
        state  = { n = 1, handle = { type = "pointer" }, seen = 0 }
        events = { moved = { n = "int" }, opened = { handle = "pointer" }, read = { n = "int" } }
        until  = "state.seen == 2"
        [loops.main.on]
        moved  = { set = { n = "event.n" } }
        opened = { set = { handle = "event.handle" } }
        read   = { set = { seen = "event.n" } }
        [loops.main.feedback]
        read = { effect = "lib:number_of", args = ["state.handle"], when = "state.handle != null", emit = { event = "read", n = "result" } }

        """

    /// What the library noted, sorted: closing is on a queue of its own.
    private func noted(_ manifest: String) async throws -> [String] {
        let run = RecordedRun()
        let end = try await run.run(Self.plugin + manifest, library: library())
        #expect(end.outcome == .done, "\(run.steps) \(run.faults)")
        let log = try? String(contentsOf: folder.get().url("log"), encoding: .utf8)
        return (log ?? "").split(separator: "\n").map(String.init).sorted()
    }

    @Test func pointerOfAWithdrawnEvent_isClosed_andTheOneInTheStateAtTheEnd() async throws {
        let noted = try await noted(
            Self.moving + """
                move = { effect = "lib:same", args = [2], when = "state.n == 1", emit = { event = "moved", n = "result" } }
                open = { effect = "lib:open_handle", args = ["state.n"], emit = { event = "opened", handle = "result" } }

                """)
        #expect(noted == ["close 1", "close 2", "open 1", "open 2"])
    }

    @Test func pointerThatComesTooLate_isClosed() async throws {
        let noted = try await noted(
            Self.moving + """
                open = { effect = "lib:open_slowly", args = ["state.n"], executor = "pool", emit = { event = "opened", handle = "result" } }
                move = { effect = "lib:same", args = [2], when = "state.n == 1", emit = { event = "moved", n = "result" } }
                go   = { effect = "lib:let_go", when = "state.n == 2" }

                """)
        // The first run may not have begun when it was cancelled.
        #expect(noted == ["close 1", "close 2", "open 1", "open 2"] || noted == ["close 2", "open 2"])
    }

    @Test func pointersOfAFailedRun_areClosed_whateverTheResultWas() async throws {
        let noted = try await noted(
            """
            [loops.main]
            state  = { failed = false }
            events = { opened = { handle = "pointer" }, failed = {} }
            until  = "state.failed"
            on     = { opened = {}, failed = { set = { failed = true } } }
            [loops.main.feedback.open]
            effect   = "lib:open_pair"
            args     = [7, { out = 1 }, { out = 1 }]
            fails-if = "result < 0"
            emit     = { event = "opened", handle = "out.first" }
            on-error = { event = "failed" }

            """)
        #expect(noted == ["close 7", "close 8", "open 7", "open 8"])
    }

    @Test func pointerThatNoEventTakes_andOneThatNoStateTakes_areClosed() async throws {
        let noted = try await noted(
            """
            [loops.main]
            state  = { opened = false }
            events = { opened = { handle = "pointer" } }
            until  = "state.opened"
            on     = { opened = { set = { opened = true } } }
            [loops.main.feedback.open]
            effect = "lib:open_pair"
            args   = [1, { out = 1 }, { out = 1 }]
            emit   = { event = "opened", handle = "out.first" }

            """)
        #expect(noted == ["close 1", "close 2", "open 1", "open 2"])
    }

    @Test(.inThisProcess("the next state may cancel a run before a worker makes its call"))
    func discardedEventAtTheEnd_closesItsPointer() async throws {
        let noted = try await noted(
            """
            [loops.main]
            state  = { n = 0, handle = { type = "pointer" } }
            events = { done = { n = "int" }, opened = { handle = "pointer" } }
            until  = "state.n == 1"
            [loops.main.on]
            done   = { set = { n = "event.n" } }
            opened = { set = { handle = "event.handle" } }
            [loops.main.feedback]
            end  = { effect = "lib:same", args = [1], emit = { event = "done", n = "result" } }
            open = { effect = "lib:open_handle", args = [5], emit = { event = "opened", handle = "result" } }

            """)
        #expect(noted == ["close 5", "open 5"])
    }

    @Test func pointerThatAnEffectCloses_isClosedOnce() async throws {
        let noted = try await noted(
            """
            [loops.main]
            state  = { handle = { type = "pointer" }, wasOpen = false }
            events = { opened = { handle = "pointer" }, closed = {} }
            until  = "state.wasOpen && state.handle == null"
            [loops.main.on]
            opened = { set = { handle = "event.handle", wasOpen = true } }
            closed = { set = { handle = "null" } }
            [loops.main.feedback]
            open  = { effect = "lib:open_handle", args = [3], emit = { event = "opened", handle = "result" } }
            close = { effect = "lib:close_handle", args = ["state.handle"], when = "state.handle != null", emit = { event = "closed" } }

            """.replacing("wasOpen", with: "was_open"))
        #expect(noted == ["close 3", "open 3"])
    }

    @Test func pointerOfAMessage_isLeftToItsReceivers_untilTheEnd() async throws {
        let noted = try await noted(
            """
            [gears.pass]
            messages = { opened = { handle = "pointer" } }
            [loops.from]
            state = {}
            feedback.open = { effect = "lib:open_handle", args = [4], send = { gear = "pass", message = "opened", handle = "result" } }
            [loops.to]
            state    = { handle = { type = "pointer" }, n = 0 }
            events   = { opened = { handle = "pointer" }, read = { n = "int" } }
            until    = "state.n == 4"
            receive  = { pass.opened = { event = "opened", handle = "message.handle" } }
            on       = { opened = { set = { handle = "event.handle" } }, read = { set = { n = "event.n" } } }
            feedback = { read = { effect = "lib:number_of", args = ["state.handle"], when = "state.handle != null", emit = { event = "read", n = "result" } } }

            """)
        #expect(noted == ["close 4", "open 4"])
    }

    @Test func pointerToConst_belongsToTheLibrary() async throws {
        let noted = try await noted(
            """
            [loops.main]
            state  = { handle = { type = "pointer" } }
            events = { lent = { handle = "pointer" } }
            until  = "state.handle != null"
            on     = { lent = { set = { handle = "event.handle" } } }
            [loops.main.feedback.borrow]
            effect = "lib:borrow"
            emit   = { event = "lent", handle = "result" }

            """)
        #expect(noted == [])
    }
}
