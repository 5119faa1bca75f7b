import Foundation
import TestSupport
import Testing

/// Statements and notifications of `postgres`, with a server.
@Suite(.timeLimit(.minutes(10))) struct PostgresTests {
    @Test(arguments: PluginMode.allCases)
    func `statements change and read what the server has`(_ mode: PluginMode) throws {
        let world = try PostgresWorld(mode)
        let app = try world.start()
        for (statement, line) in [
            ("! CREATE TABLE t (a int PRIMARY KEY, b text)", "0 changes"),
            ("! INSERT INTO t VALUES (1, 'grüß'), (2, NULL)", "2 changes"),
            ("? SELECT a, b FROM t ORDER BY a", "a,b: 1 grüß; 2 "),
            ("? INSERT INTO t VALUES (3, 'x') RETURNING a", "a: 3"),
            (
                "! INSERT INTO t VALUES (3, 'y')",
                "-128 23505 duplicate key value violates unique constraint \"t_pkey\""
            ),
            ("! BEGIN", "-5 a statement cannot begin or end a transaction; the effect `transaction` does"),
        ] {
            try app.write(statement)
            #expect(app.nextLine() == line)
        }
        #expect(try world.server.sql("SELECT count(*) FROM t") == "3")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `a cancelled statement ends at the server, too, and the next one runs`(_ mode: PluginMode) throws {
        let world = try PostgresWorld(mode)
        try world.server.sql("CREATE TABLE t (a int)")
        let app = try world.start()
        let running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'INSERT%' AND state = 'active'"
        try app.write("! INSERT INTO t SELECT 1 FROM pg_sleep(1000)")
        try blockUntil { try world.server.sql(running) == "1" }
        try app.write("? SELECT 5 AS a")
        #expect(app.nextLine() == "a: 5")
        try blockUntil { try world.server.sql(running) == "0" }
        #expect(try world.server.sql("SELECT count(*) FROM t") == "0")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `notifications come, also after the server was away`(_ mode: PluginMode) throws {
        let world = try PostgresWorld(mode)
        let app = try world.start(feedbacks: PostgresWorld.listening)
        #expect(app.nextLine() == "listening")
        try world.server.sql("NOTIFY news, 'first'")
        #expect(app.nextLine() == "news first")
        try world.server.end()
        #expect(app.nextLine() == "lost")
        try world.server.start()
        #expect(app.nextLine(with: "listening") == "listening")
        try world.server.sql("NOTIFY news, 'second'")
        #expect(app.nextLine() == "news second")
        app.endInOrder()
    }

    @Test func `a statement that is lost with the server says whether it may have happened`() throws {
        let world = try PostgresWorld()
        try world.folder.write("word", "correct horse")
        let app = try world.start(config: "password = { file = 'word' }")
        let running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'"
        try app.write("! SELECT pg_sleep(1000)")
        try blockUntil { try world.server.sql(running) == "1" }
        try world.server.end()
        #expect(app.nextLine().hasPrefix("-130 the connection is lost, and it is not known"))
        try app.write("? SELECT 2 AS a")
        let line = app.nextLine()
        #expect(line.hasPrefix("-129 cannot connect: ") && !line.contains("horse"))
        try world.server.start()
        try app.write("? SELECT 3 AS a")
        #expect(app.nextLine() == "a: 3")
        app.endInOrder()
    }
}
