import Foundation
import TestSupport
import Testing

/// The ends of calls of `spin:sqlite`: cancellations, the end of the app, and swaps.
@Suite(.timeLimit(.minutes(10))) struct SqliteEndTests {
    private let ready = SqliteCall.query("SELECT 1 AS a")
    /// It counts without end.
    private static let endless =
        "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    private let table = SqliteCall.execute("CREATE TABLE t (a)")
    private let count = SqliteCall.query("SELECT count(*) AS n FROM t")

    /// A call with one statement, and with another one after a line of the input.
    private func call(_ sql: String, then next: String) -> SqliteCall {
        SqliteCall(effect: "query", arguments: ["state.again ? '\(next)' : '\(sql)'", "[]"])
    }

    @Test(arguments: PluginMode.allCases)
    func `a cancelled statement ends at once, and the next one runs`(_ mode: PluginMode) throws {
        let world = try SqliteWorld(mode)
        let app = try world.start(ready, call(Self.endless, then: "SELECT 2 AS a"))
        #expect(app.nextLine() == "a: 1")
        try app.write("again")
        #expect(app.nextLine() == "a: 2")
        #expect(app.end().status == 0)
    }

    @Test(arguments: PluginMode.allCases)
    func `a cancelled statement that waits for a lock ends at once`(_ mode: PluginMode) throws {
        let world = try SqliteWorld(mode)
        #expect(try world.lines([table]) == ["0 changes, id 0"])
        let other = try world.other("BEGIN IMMEDIATE")
        let app = try world.start(
            ready, call("INSERT INTO t VALUES (1) RETURNING a", then: "SELECT count(*) AS n FROM t"),
            config: "busy_timeout = '1h'")
        #expect(app.nextLine() == "a: 1")
        try app.write("again")
        #expect(app.nextLine() == "n: 0")
        #expect(app.end().status == 0)
        try other.closeInput()
        #expect(other.end().status == 0)
    }

    @Test(arguments: PluginMode.allCases)
    func `the end of the app ends a statement, and takes back what it has changed`(_ mode: PluginMode) throws
    {
        let world = try SqliteWorld(mode)
        let app = try world.start(
            table, ready, .transaction("INSERT INTO t VALUES (1)", Self.endless))
        #expect(app.nextLine() == "0 changes, id 0")
        #expect(app.nextLine() == "a: 1")
        app.endInOrder()
        #expect(try world.lines([count]) == ["n: 0"])
    }

    @Test func `the timeout of a feedback ends a statement`() throws {
        let world = try SqliteWorld()
        let app = try world.folder.start(
            world.manifest([.query(Self.endless), ready]).replacing(
                "effect   = \"db:query\"\nwhen     = \"state.calls == 0\"",
                with: "effect   = \"db:query\"\ntimeout  = \"20ms\"\nwhen     = \"state.calls == 0\""))
        #expect(app.nextLine() == "-1010 `query` did not end within 0.02s")
        #expect(app.nextLine() == "a: 1")
        #expect(app.end().status == 0)
    }

    @Test func `a swap that meets a lock leaves the app as it is`() throws {
        let world = try SqliteWorld()
        let library = Project.root.appendingPathComponent("build/plugins/sqlite/sqlite.so")
        try FileManager.default.copyItem(at: library, to: world.folder.url("sqlite.so"))
        try world.folder.write(
            "app.toml",
            world.manifest(
                [ready, count], config: "schema = 'CREATE TABLE IF NOT EXISTS t (a)'", gate: 1
            ).replacing("spin:sqlite", with: "./sqlite.so"))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        #expect(host.program.nextLine() == "a: 1")
        let other = try world.other("BEGIN IMMEDIATE")
        try host.change("sqlite.so")
        let outcome = try host.spinhost("swap", "db")
        #expect(outcome.status != 0)
        #expect(
            outcome.errors.contains("another connection has locked the database for more than 2 s"),
            "\(outcome.errors)")
        try host.program.write("again")
        #expect(host.program.nextLine() == "n: 0")
        #expect(host.program.end().status == 0)
        try other.closeInput()
        #expect(other.end().status == 0)
    }

    @Test(arguments: PluginMode.allCases)
    func `a swap keeps what was stored, and calls again what had not ended`(_ mode: PluginMode) throws {
        let world = try SqliteWorld(mode)
        let library = Project.root.appendingPathComponent("build/plugins/sqlite/sqlite.so")
        try FileManager.default.copyItem(at: library, to: world.folder.url("sqlite.so"))
        let calls: [SqliteCall] = [
            table, .execute("INSERT INTO t VALUES (1)"),
            call(Self.endless, then: "SELECT count(*) AS n FROM t"),
        ]
        try world.folder.write(
            "app.toml", world.manifest(calls).replacing("spin:sqlite", with: "./sqlite.so"))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        #expect(host.program.nextLine(with: "id 1") == "1 changes, id 1")
        try host.swapChanged("db", "sqlite.so")
        try host.program.write("again")
        #expect(host.program.nextLine() == "n: 1")
        #expect(host.program.end().status == 0)
    }
}
