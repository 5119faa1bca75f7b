import Foundation
import TestSupport
import Testing

/// The statements that `spin:sqlite` runs, and those that it refuses.
@Suite(.timeLimit(.minutes(10))) struct SqliteStatementTests {
    /// Calls with the line that each of them leads to.
    private func expect(
        _ calls: [(call: SqliteCall, line: String)], _ mode: PluginMode = .inline, config: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let lines = try SqliteWorld(mode).lines(calls.map(\.call), config: config)
        #expect(lines == calls.map(\.line), sourceLocation: sourceLocation)
    }

    @Test(arguments: PluginMode.allCases)
    func `each kind of value goes in and comes out as it is`(_ mode: PluginMode) throws {
        try expect(
            [
                (.execute("CREATE TABLE t (a, b)"), "0 changes, id 0"),
                (
                    .execute(
                        "INSERT INTO t VALUES (?2, ?1), (?3, ?4)",
                        "{'text': 'grüß'}, {'integer': 9223372036854775807}, {}, {'real': 0.1}"),
                    "2 changes, id 2"
                ),
                (
                    .execute("INSERT INTO t VALUES (?, ?)", "{'blob': b'\\x00\\xff'}, {'blob': b''}"),
                    "1 changes, id 3"
                ),
                (
                    .execute("INSERT INTO t VALUES (:a, :b)", "{'text': ''}, {'integer': -9007199254740993}"),
                    "1 changes, id 4"
                ),
                (
                    .query("SELECT a, b AS second FROM t"),
                    "a,second: 9223372036854775807 \"grüß\"; NULL 0.1; blob[2] blob[0]; \"\" -9007199254740993"
                ),
                (.query("SELECT * FROM t WHERE a = ?", "{'text': 'x'}"), "a,b: "),
                (.execute("DELETE FROM t"), "4 changes, id 0"),
            ], mode)
    }

    @Test func `a text with bytes that are not UTF-8 comes with its bytes`() throws {
        try expect([(.query("SELECT CAST(x'ff41' AS TEXT) AS a"), "a: text[2]\u{FFFD}A")])
    }

    @Test func `a value never becomes a part of the statement`() throws {
        try expect([
            (.execute("CREATE TABLE t (a)"), "0 changes, id 0"),
            (.execute("INSERT INTO t VALUES (?)", "{'text': '1); DROP TABLE t; --'}"), "1 changes, id 1"),
            (.query("SELECT a FROM t"), "a: \"1); DROP TABLE t; --\""),
        ])
    }

    @Test func `what is no statement with its values is refused, with the reason`() throws {
        try expect([
            (.query(""), "-21 the statement is empty"),
            (.query(" -- a comment\\n ;"), "-21 the statement is empty"),
            (.query("SELECT 1; SELECT 2"), several), (.query("SELECT 1; SELEC"), several),
            (.query("SELECT 1 AS a; -- a comment"), "a: 1"),
            (
                .query("SELECT ?, ?", "{'integer': 1}"),
                "-25 the statement has 2 parameters, and 1 value is given"
            ),
            (.query("SELECT ?", "{}, {}"), "-25 the statement has 1 parameter, and 2 values are given"),
            (
                .query("SELECT ?", "{'integer': 1, 'text': ''}"),
                "-21 value 1 has more than one of `text`, `integer`, `real` and `blob`"
            ),
            (.query("SELEC"), "-1 near \"SELEC\": syntax error"),
            (.query("SELECT \"a\""), "-1 no such column: a"),
            (.query("SELECT 1\\u0000"), "-21 the statement has a NUL character"),
        ])
    }

    private let several = "-21 there are several statements; `transaction` takes a list of them"

    @Test func `a statement cannot leave the file, or change the connection`() throws {
        let file = "-23 a statement may use no other file than that of the setting `file`"
        let ends = "-23 a statement cannot begin or end a transaction; the effect `transaction` does"
        let temporary = "-23 what is temporary is not possible, as it ends with the connection"
        let pragma = "-23 this PRAGMA is not possible, as it may change the connection"
        try expect([
            (.execute("ATTACH 'other.db' AS other"), file), (.execute("DETACH main"), file),
            (.execute("ATTACH '' AS vacuum_db"), file),
            (.execute("CREATE TEMP TABLE t (a)"), temporary),
            (.query("SELECT fts3_tokenizer('simple')"), "-1 not authorized to use function: fts3_tokenizer"),
            (.execute("PRAGMA page_size = 512"), pragma),
            (.execute("VACUUM INTO 'other.db'"), file),
            (.execute("BEGIN"), ends), (.transaction("COMMIT"), "-23 statement 1: \(ends.dropFirst(4))"),
            (.execute("SAVEPOINT a"), ends), (.execute("PRAGMA foreign_keys = OFF"), pragma),
            (.execute("PRAGMA temp_store_directory = '/'"), pragma),
            (.query("SELECT load_extension('x')"), "-1 not authorized"),
            (.execute("VACUUM"), "0 changes, id 0"), (.execute("PRAGMA user_version = 7"), "0 changes, id 0"),
            (.query("PRAGMA user_version"), "user_version: 7"),
        ])
    }

    @Test(arguments: PluginMode.allCases)
    func `a transaction runs all statements or none`(_ mode: PluginMode) throws {
        try expect(
            [
                (
                    .transaction(
                        "CREATE TABLE a (id INTEGER PRIMARY KEY)",
                        "CREATE TABLE b (a INTEGER REFERENCES a (id))", "INSERT INTO a VALUES (1), (2)"),
                    "2 changes"
                ),
                (
                    .transaction("INSERT INTO a VALUES (3)", "INSERT INTO a VALUES (2)"),
                    "-19 statement 2: UNIQUE constraint failed: a.id"
                ),
                (
                    .transaction("DELETE FROM a", "INSERT INTO b VALUES (9)"),
                    "-19 statement 2: FOREIGN KEY constraint failed"
                ),
                (
                    .transaction("DELETE FROM a", "SELECT 1; SELECT 2"),
                    "-21 statement 2: \(several.dropFirst(4))"
                ),
                (.query("SELECT id FROM a"), "id: 1; 2"), (.transaction(), "0 changes"),
            ], mode)
    }

    @Test func `full-text search works, also by triggers`() throws {
        let schema = """
            CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, body); \
            CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (body, content=notes, content_rowid=id); \
            CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON notes BEGIN \
            INSERT INTO words (rowid, body) VALUES (new.id, new.body); END
            """
        try expect(
            [
                (.query("INSERT INTO notes (body) VALUES ('a brown fox') RETURNING id"), "id: 1"),
                (.query("SELECT body FROM words WHERE words MATCH 'fox'"), "body: \"a brown fox\""),
            ], config: "schema = '\(schema)'")
    }

    @Test func `a worker cannot pass an answer of more than 32 MiB`() throws {
        try expect(
            [
                (
                    .query("SELECT zeroblob(40000000)"),
                    "-18 the host refuses an answer of 40000064 bytes; from a worker it takes 32 MiB"
                ), (.query("SELECT 1 AS a"), "a: 1"),
            ], .process, config: "largest_answer = 1073741824")
    }

    @Test func `an answer that is too large is a failure, and changes nothing`() throws {
        let rows = "-18 the answer has more than 3 rows (setting `most_rows`)"
        let numbers = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?) SELECT i FROM n"
        try expect(
            [
                (.query(numbers, "{'integer': 3}"), "i: 1; 2; 3"), (.query(numbers, "{'integer': 4}"), rows),
                (.execute("CREATE TABLE t (a)"), "0 changes, id 0"),
                (.query("INSERT INTO t VALUES (1), (2), (3), (4) RETURNING a"), rows),
                (.query("SELECT count(*) FROM t"), "count(*): 0"),
                (.query("INSERT INTO t VALUES (1), (2) RETURNING a"), "a: 1; 2"),
                (.query("SELECT count(*) FROM t"), "count(*): 2"),
                (.query("SELECT zeroblob(936) AS a"), "a: blob[936]"),
                (
                    .query("SELECT zeroblob(937)"),
                    "-18 the answer is larger than 1000 bytes (setting `largest_answer`)"
                ),
            ], config: "most_rows = 3, largest_answer = 1000")
    }
}
