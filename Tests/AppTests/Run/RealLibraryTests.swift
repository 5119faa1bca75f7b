import App
import Foundation
import TestSupport
import Testing

/// Libraries of the system, declared in a manifest.
@Suite(.timeLimit(.minutes(10))) struct RealLibraryTests {
    @Test func zlib_packsAndUnpacks_withALengthThatGoesBothWays() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.zlib]
            library  = "libz.so.1"
            declares = \"\"\"
            typedef unsigned char Bytef;
            unsigned long crc32(unsigned long crc, const Bytef *buf, unsigned int len);
            int compress2(Bytef *dest, unsigned long *destLen, const Bytef *source, unsigned long sourceLen, int level);
            int uncompress(Bytef *dest, unsigned long *destLen, const Bytef *source, unsigned long sourceLen);
            \"\"\"
            [loops.main]
            state  = { packed = { type = "bytes" }, length = { type = "u64" }, text = { type = "bytes" }, crc = { type = "u64" } }
            events = { packed = { data = "bytes", length = "u64" }, unpacked = { data = "bytes" }, summed = { crc = "u64" } }
            until  = "state.crc != 0u"
            [loops.main.on]
            packed   = { set = { packed = "event.data", length = "event.length" } }
            unpacked = { set = { text = "event.data" } }
            summed   = { set = { crc = "event.crc" } }
            [loops.main.feedback.pack]
            effect   = "zlib:compress2"
            args     = [{ out = 100, as = "bytes", used = "out.destLen" }, { inout = 100 }, "b'123456789'", 9, 9]
            fails-if = "result != 0"
            emit     = { event = "packed", data = "out.dest", length = "out.destLen" }
            [loops.main.feedback.unpack]
            effect   = "zlib:uncompress"
            args     = [{ out = 64, as = "bytes", used = "out.destLen" }, { inout = "64" }, "state.packed", "size(state.packed)"]
            when     = "size(state.packed) > 0"
            fails-if = "result != 0"
            emit     = { event = "unpacked", data = "out.dest" }
            [loops.main.feedback.sum]
            effect   = "zlib:crc32"
            args     = [0, "state.text", "size(state.text)"]
            when     = "size(state.text) > 0"
            emit     = { event = "summed", crc = "result" }

            """)
        #expect(end.outcome == .done, "\(run.faults)")
        // The check value of CRC-32 that its descriptions give.
        #expect(run.steps.last?.contains(#""text":"MTIzNDU2Nzg5","crc":3421780262"#) == true, "\(run.steps)")
        #expect(run.faults == [])
    }

    @Test func libcAndLibm_takeAndGiveStructuresListsAndPointers() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.libc]
            library  = "libc.so.6"
            declares = \"\"\"
            typedef struct { int quot; int rem; } div_t;
            div_t div(int numer, int denom);
            struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
                        long tm_gmtoff; const char *tm_zone; };
            struct tm *gmtime_r(const time_t *timep, struct tm *result);
            time_t timegm(struct tm *tm);
            long strtol(const char *nptr, char **endptr, int base);
            time_t time(time_t *tloc);
            struct utsname { char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65]; };
            int uname(struct utsname *name);
            const char *setlocale(int category, const char *_Nullable locale);
            \"\"\"
            [plugins.libm]
            library  = "libm.so.6"
            declares = "double frexp(double x, int *exp);"
            [loops.main]
            state  = { quotient = 0, year = 0, second = 0, exponent = 0, number = 0, now = 0, system = "", wanted = { type = "string?" }, locale = "" }
            events = { divided = { n = "int" }, told = { n = "int" }, counted = { n = "int" }, split = { n = "int" }, parsed = { n = "int" }, timed = { n = "int" }, named = { name = "string" }, spoken = { name = "string" } }
            until  = "state.quotient == 3 && state.year == 2001 && state.second == 61 && state.exponent == 4 && state.number == -17 && state.now > 1000000 && state.system == 'Linux' && state.locale != ''"
            [loops.main.on]
            divided = { set = { quotient = "event.n" } }
            told    = { set = { year = "event.n" } }
            counted = { set = { second = "event.n" } }
            split   = { set = { exponent = "event.n" } }
            parsed  = { set = { number = "event.n" } }
            timed   = { set = { now = "event.n" } }
            named   = { set = { system = "event.name" } }
            spoken  = { set = { locale = "event.name" } }
            [loops.main.feedback]
            divide = { effect = "libc:div", args = [17, 5], emit = { event = "divided", n = "result.quot" } }
            tell   = { effect = "libc:gmtime_r", args = ["[1000000000]", { out = 1 }], emit = { event = "told", n = "1900 + out.result.tm_year" } }
            count  = { effect = "libc:timegm", args = [{ inout = "{'tm_sec': 1, 'tm_min': 1, 'tm_hour': 0, 'tm_mday': 1, 'tm_mon': 0, 'tm_year': 70, 'tm_wday': 0, 'tm_yday': 0, 'tm_isdst': 0, 'tm_gmtoff': 0, 'tm_zone': null}" }], emit = { event = "counted", n = "result" } }
            split  = { effect = "libm:frexp", args = [8.0, { out = 1 }], emit = { event = "split", n = "out.exp" } }
            parse  = { effect = "libc:strtol", args = ["'-11'", "null", 16], emit = { event = "parsed", n = "result" } }
            name   = { effect = "libc:uname", args = [{ out = 1 }], emit = { event = "named", name = "cstring(out.name.sysname)" } }
            speak  = { effect = "libc:setlocale", args = [6, "state.wanted"], emit = { event = "spoken", name = "result == null ? '' : result" } }
            time   = { effect = "libc:time", args = ["null"], emit = { event = "timed", n = "result" } }

            """)
        #expect(end.outcome == .done, "\(run.faults) \(run.steps)")
        #expect(run.faults == [])
    }

    private static let sqlite = """
        [plugins.sqlite]
        library  = "libsqlite3.so.0"
        release  = "sqlite3_close"
        declares = \"\"\"
        typedef struct sqlite3 sqlite3;
        typedef struct sqlite3_stmt sqlite3_stmt;
        const char *sqlite3_libversion(void);
        int sqlite3_open(const char *filename, sqlite3 **ppDb);
        int sqlite3_close(sqlite3 *db);
        int sqlite3_exec(sqlite3 *db, const char *sql, void *callback, void *arg, char **errmsg);
        int sqlite3_prepare_v2(sqlite3 *db, const char *zSql, int nByte, sqlite3_stmt **ppStmt, const char **pzTail);
        int sqlite3_step(sqlite3_stmt *statement);
        long sqlite3_column_int64(sqlite3_stmt *statement, int iCol);
        int sqlite3_finalize(sqlite3_stmt *statement);
        \"\"\"

        """

    @Test func sqlite_isOpenedUsedAndClosedByEffects_withItsHandleInTheState() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            Self.sqlite + """
                [loops.main]
                state  = { version = "", db = { type = "pointer" }, rows = { type = "pointer" }, sum = 0 }
                events = { known = { version = "string" }, opened = { db = "pointer" }, filled = {}, asked = { rows = "pointer" }, found = {}, told = { sum = "int" }, answered = {}, closed = {} }
                until  = "state.sum == 42 && state.db == null && state.version != ''"
                [loops.main.on]
                known    = { set = { version = "event.version" } }
                opened   = { set = { db = "event.db" } }
                asked    = { set = { rows = "event.rows" } }
                told     = { set = { sum = "event.sum" } }
                answered = { set = { rows = "null" } }
                closed   = { set = { db = "null" } }
                [loops.main.feedback]
                version = { effect = "sqlite:sqlite3_libversion", emit = { event = "known", version = "result" } }
                open    = { effect = "sqlite:sqlite3_open", args = ["':memory:'", { out = 1 }], fails-if = "result != 0", emit = { event = "opened", db = "out.ppDb" } }
                fill    = { on = "opened", effect = "sqlite:sqlite3_exec", args = ["state.db", "'create table t (n); insert into t values (40), (2)'", "null", "null", "null"], fails-if = "result != 0", emit = { event = "filled" } }
                ask     = { on = "filled", effect = "sqlite:sqlite3_prepare_v2", args = ["state.db", "'select sum(n) from t'", -1, { out = 1 }, "null"], fails-if = "result != 0", emit = { event = "asked", rows = "out.ppStmt" } }
                find    = { on = "asked", effect = "sqlite:sqlite3_step", args = ["state.rows"], fails-if = "result != 100", emit = { event = "found" } }
                tell    = { on = "found", effect = "sqlite:sqlite3_column_int64", args = ["state.rows", 0], emit = { event = "told", sum = "result" } }
                end     = { on = "told", effect = "sqlite:sqlite3_finalize", args = ["state.rows"], emit = { event = "answered" } }
                close   = { on = "answered", effect = "sqlite:sqlite3_close", args = ["state.db"], fails-if = "result != 0", emit = { event = "closed" } }

                """)
        #expect(end.outcome == .done, "\(run.faults) \(run.steps)")
        #expect(run.faults == [])
    }

    @Test(.inThisProcess("the next state may cancel a run before a worker makes its call"))
    func sqlite_databaseOfAWithdrawnEvent_isClosed_andTheLastOneAtTheEnd() async throws {
        let folder = try TemporaryFolder()
        func open() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }.filter { $0.hasPrefix(folder.root.path) }
        }
        let run = RecordedRun()
        let end = try await run.run(
            Self.sqlite + """
                [loops.main]
                state  = { path = "\(folder.url("first").path)", db = { type = "pointer" } }
                events = { moved = {}, opened = { db = "pointer" } }
                until  = "state.db != null"
                [loops.main.on]
                moved  = { set = { path = "'\(folder.url("second").path)'" } }
                opened = { set = { db = "event.db" } }
                [loops.main.feedback]
                move = { effect = "sqlite:sqlite3_libversion", emit = { event = "moved" } }
                open = { effect = "sqlite:sqlite3_open", args = ["state.path", { out = 1 }], fails-if = "result != 0", emit = { event = "opened", db = "out.ppDb" } }

                """)
        #expect(end.outcome == .done, "\(run.faults) \(run.steps)")
        #expect(end.counters.withdrawn == 1)
        // Both were opened.
        #expect(FileManager.default.fileExists(atPath: folder.url("first").path))
        #expect(FileManager.default.fileExists(atPath: folder.url("second").path))
        #expect(try open() == [])
    }
}
