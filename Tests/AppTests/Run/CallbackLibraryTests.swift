import App
import Foundation
import TestSupport
import Testing

/// Callbacks of libraries of the system, which a manifest answers.
@Suite(.timeLimit(.minutes(10))) struct CallbackLibraryTests {
    @Test func qsortAndBsearch_compareWithExpressionsOverTheStateOfTheRun() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.libc]
            library  = "libc.so.6"
            declares = \"\"\"
            void qsort_r(int32_t *base, size_t count, size_t size,
                         int (*compare)(const int32_t *left, const int32_t *right, void *context), void *context);
            void *bsearch(const int32_t *key, const int32_t base[], size_t count, size_t size,
                          int (*compare)(const int32_t *key, const int32_t *member));
            \"\"\"
            [loops.main]
            state  = { sign = -1, list = [7, -4, 21, 0, 7], finds = 0 }
            events = { sorted = { list = "[i32]" }, found = { there = "bool" } }
            until  = "state.finds == 2"
            [loops.main.on]
            sorted = { set = { list = "event.list.map(x, x)" } }
            found  = { set = { finds = "event.there ? state.finds + 1 : state.finds" } }
            [loops.main.feedback]
            sort = { effect = "libc:qsort_r", when = "state.finds == 0", args = [{ inout = "state.list", out = 5 }, 5, 4, { callback = "int(state.sign) * (value.left < value.right ? -1 : value.left > value.right ? 1 : 0)" }, "null"], emit = { event = "sorted", list = "out.base" } }
            find = { effect = "libc:bsearch", on = "sorted", args = ["[21]", "event.list", 5, 4, { callback = { result = "value.member < value.key ? -1 : value.member > value.key ? 1 : 0" } }], emit = { event = "found", there = "result != null" } }

            """)
        #expect(end.outcome == .done, "\(run.faults) \(run.steps)")
        #expect(run.faults == [])
        #expect(run.steps.contains { $0.hasPrefix(#"sorted{"list":[21,7,7,0,-4]}"#) }, "\(run.steps)")
    }

    private static let sqlite = """
        [plugins.sqlite]
        library  = "libsqlite3.so.0"
        release  = "sqlite3_close"
        free     = "sqlite3_free"
        declares = \"\"\"
        typedef struct sqlite3 sqlite3;
        int sqlite3_open(const char *filename, sqlite3 **ppDb);
        int sqlite3_close(sqlite3 *db);
        void sqlite3_free(void *memory);
        int sqlite3_exec(sqlite3 *db, const char *sql,
                         int (*row)(void *context, int count, char *_Nullable *values, char **names),
                         void *context, char **error);
        \"\"\"
        [loops.main]
        state  = { db = { type = "pointer" }, rows = [""], code = 0, text = "" }
        events = { opened = { db = "pointer" }, filled = {}, row = { names = "[string]", values = "[string?]" }, ended = { code = "int", text = "string?" } }
        until  = "state.text != ''"
        [loops.main.on]
        opened = { set = { db = "event.db" } }
        filled = {}
        row    = { set = { rows = "state.rows + [event.names[0] + '=' + (event.values[0] == null ? '?' : event.values[0])]" } }
        ended  = { set = { code = "event.code", text = "event.text == null ? 'fine' : event.text" } }
        [loops.main.feedback]
        open  = { effect = "sqlite:sqlite3_open", args = ["':memory:'", { out = 1 }], fails-if = "result != 0", emit = { event = "opened", db = "out.ppDb" } }
        fill  = { on = "opened", effect = "sqlite:sqlite3_exec", args = ["state.db", "'create table t (n); insert into t values (40), (null), (2)'", "null", "null", "null"], fails-if = "result != 0", emit = { event = "filled" } }

        """

    @Test func sqlite_givesEachRowAsAnEvent() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.sqlite + """
                query = { on = "filled", effect = "sqlite:sqlite3_exec", args = ["state.db", "'select n from t'", { callback = { emit = { event = "row", names = "value.names", values = "value.values" }, counts = { values = "count", names = "count" } } }, "null", { out = 1, as = "string" }], emit = { event = "ended", code = "result", text = "out.error" } }

                """)
        #expect(end.outcome == .done, "\(run.faults) \(run.steps)")
        #expect(run.faults == [])
        #expect(
            run.steps.last?.contains(#""rows":["","n=40","n=?","n=2"],"code":0,"text":"fine""#) == true,
            "\(run.steps)")
    }

    @Test func sqlite_isEndedByTheAnswerOfARow() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.sqlite + """
                query = { on = "filled", effect = "sqlite:sqlite3_exec", args = ["state.db", "'select n from t'", { callback = { result = "value.values[0] == null ? 1 : 0", counts = { values = "count" } } }, "null", { out = 1, as = "string" }], emit = { event = "ended", code = "result", text = "out.error" } }

                """)
        #expect(end.outcome == .done, "\(run.faults) \(run.steps)")
        // SQLITE_ABORT
        #expect(run.steps.last?.contains(#""code":4,"text":"query aborted""#) == true, "\(run.steps)")
    }

    /// A few lines of C, because `curl_easy_setopt` has a variable number of arguments.
    @Test func libcurl_writesWhatItReads_toAnEffectThatEmits() async throws {
        let folder = try TemporaryFolder()
        let text = String(repeating: "a line of text\n", count: 5000)
        try folder.write("page.txt", text)
        let file = Project.root.appendingPathComponent("Tests/Fixtures/plugins/fetches.c")
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.fetches]
            library = "./lib.so"
            [loops.main]
            state  = { size = 0, code = 1 }
            events = { part = { data = "bytes" }, ended = { code = "int" } }
            until  = "state.code == 0"
            [loops.main.on]
            part  = { set = { size = "state.size + size(event.data)" } }
            ended = { set = { code = "event.code" } }
            [loops.main.feedback]
            fetch = { effect = "fetches:fetch", executor = "pool", args = ["'file://\(folder.url("page.txt").path)'"] }

            """, library: try String(contentsOf: file, encoding: .utf8))
        #expect(end.outcome == .done, "\(run.faults)")
        #expect(run.faults == [])
        #expect(
            run.steps.last?.hasSuffix(#"{"size":\#(text.utf8.count),"code":0}"#) == true,
            "\(run.steps.last ?? "")")
        #expect(run.steps.count > 3)
    }
}
