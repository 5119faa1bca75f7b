import Foundation
import TestSupport
import Testing

/// The file of a database: how it is opened, damaged, locked and lost.
@Suite(.timeLimit(.minutes(10))) struct SqliteFileTests {
    private let table = SqliteCall.execute("CREATE TABLE t (a)")
    private let insertion = SqliteCall.execute("INSERT INTO t VALUES (1)")
    private let count = SqliteCall.query("SELECT count(*) AS n FROM t")

    @Test(arguments: [
        ("mode = 'open'", "setting `mode`: it is not `create`, `write` or `read`"),
        ("file = ':memory:'", "setting `file`: it is not the name of a file"),
        ("file = 'file:test.db?nolock=1'", "setting `file`: it is not the name of a file"),
        ("mode = 'read', schema = 'SELECT 1'", "setting `schema`: it is not possible with the mode `read`"),
        ("mode = 'write'", "test.db`: unable to open database file: No such file or directory"),
        ("file = '/'", "cannot open `/`: it is a folder"),
        ("file = 'app.toml'", "cannot open `app.toml`: file is not a database"),
        ("schema = 'CREATE TABLE t (a); SELEC'", "test.db`: near \"SELEC\": syntax error"),
        (
            "schema = \"ATTACH 'x' AS x\"",
            "test.db`: a statement may use no other file than that of the setting `file`"
        ),
    ])
    func `a database that cannot be opened ends the app before it begins`(_ config: String, _ reason: String)
        throws
    {
        let world = try SqliteWorld()
        let end = try world.start(count, config: config).end()
        #expect(end.status == 69)
        #expect(end.errors.contains(reason), "\(end.errors)")
    }

    @Test(arguments: PluginMode.allCases)
    func `the next app finds what is there, and its schema changes nothing`(_ mode: PluginMode) throws {
        let world = try SqliteWorld(mode)
        let schema = "schema = 'CREATE TABLE IF NOT EXISTS t (a); CREATE INDEX IF NOT EXISTS i ON t (a)'"
        for number in 1...2 {
            #expect(
                try world.lines([insertion, count], config: schema) == [
                    "1 changes, id \(number)", "n: \(number)",
                ])
        }
        #expect(try world.lines([count], config: "mode = 'write', wal = false") == ["n: 2"])
        #expect(
            try world.lines([count, insertion], config: "mode = 'read'")
                == ["n: 2", "-8 attempt to write a readonly database"])
    }

    @Test func `a damaged database is a failure, and so is one that was deleted`() throws {
        let world = try SqliteWorld()
        let fill = SqliteCall.execute(
            "INSERT INTO t SELECT hex(randomblob(500)) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8))")
        #expect(try world.lines([table, fill]).last == "8 changes, id 8")
        let file = try FileHandle(forUpdating: world.database)
        try file.seek(toOffset: 4096)
        try file.write(contentsOf: Data(repeating: 0xAA, count: 8192))
        try file.close()
        #expect(try world.lines([.query("SELECT a FROM t")]) == ["-11 database disk image is malformed"])

        let other = try SqliteWorld()
        let app = try other.start(table, insertion, gate: 1)
        #expect(app.nextLine() == "0 changes, id 0")
        try FileManager.default.removeItem(at: other.database)
        try app.write("again")
        #expect(
            app.nextLine()
                == "-8 the file was moved or deleted while it was open; start the app again")
        #expect(app.end().status == 0)
    }

    @Test func `an app that starts waits two seconds for a lock, however long a statement may wait`() throws {
        let world = try SqliteWorld()
        #expect(try world.lines([table]) == ["0 changes, id 0"])
        let other = try world.other("BEGIN IMMEDIATE")
        let end = try world.start(count, config: "busy_timeout = '1h', schema = 'SELECT 1'").end()
        #expect(end.status == 69)
        #expect(
            end.errors.contains("test.db`: another connection has locked the database for more than 2 s"),
            "\(end.errors)")
        try other.closeInput()
        #expect(other.end().status == 0)
    }

    @Test func `a write-ahead log that cannot be made is named`() throws {
        let world = try SqliteWorld(.process)
        #expect(try world.lines([table, insertion]).last == "1 changes, id 1")
        let end = try world.folder.start(
            world.manifest([count], config: "mode = 'read'").replacing(
                "write = [\"\(world.folder.root.path)\"]", with: "write = []")
        ).end()
        #expect(end.status == 69)
        #expect(
            end.errors.contains("it has a write-ahead log, which needs the right to write in the folder"),
            "\(end.errors)")
    }

    @Test func `a query has the columns that a table has now`() throws {
        let world = try SqliteWorld()
        let all = SqliteCall.query("SELECT * FROM t")
        let app = try world.start(
            .execute("CREATE TABLE t (a, b)"), .execute("INSERT INTO t VALUES (1, 2)"), all, all, gate: 3)
        #expect(app.nextLine(with: "a,b") == "a,b: 1 2")
        let other = try world.other("ALTER TABLE t DROP COLUMN a; ALTER TABLE t ADD COLUMN c DEFAULT 3")
        try app.write("again")
        #expect(app.nextLine() == "b,c: 2 3")
        #expect(app.end().status == 0)
        try other.closeInput()
        #expect(other.end().status == 0)
    }

    @Test func `a full disk is a failure, and loses nothing`() throws {
        let world = try SqliteWorld()
        #expect(try world.lines([table, insertion]).last == "1 changes, id 1")
        let failing = try FailingCalls(in: world.folder)
        #expect(
            try world.lines(
                [insertion, count],
                environment: failing.environment(
                    at: 1, ENOSPC, isLasting: true, files: "test.db-wal",
                    note: world.folder.url("note").path)) == ["-13 database or disk is full", "n: 1"])
        #expect(try world.lines([insertion, count]) == ["1 changes, id 2", "n: 2"])
    }

    @Test(arguments: PluginMode.allCases)
    func `a locked database is a failure after the time that the settings give`(_ mode: PluginMode) throws {
        let world = try SqliteWorld(mode)
        #expect(try world.lines([table]) == ["0 changes, id 0"])
        let other = try world.other("BEGIN IMMEDIATE; INSERT INTO t VALUES (5)")
        #expect(
            try world.lines(
                [count, insertion, .transaction("DELETE FROM t")], config: "busy_timeout = '20ms'")
                == [
                    "n: 0",
                    "-5 another connection has locked the database for more than 0.02 s (setting `busy_timeout`)",
                    "-5 another connection has locked the database for more than 0.02 s (setting `busy_timeout`)",
                ])
        let app = try world.start(count, insertion, count, config: "busy_timeout = '1h'")
        #expect(app.nextLine() == "n: 0")
        try other.write("COMMIT;")
        #expect(app.nextLine() == "1 changes, id 2")
        #expect(app.nextLine() == "n: 2")
        #expect(app.end().status == 0)
        try other.closeInput()
        #expect(other.end().status == 0)
    }
}
