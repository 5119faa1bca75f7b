import Foundation
import TestSupport
import Testing

/// Loops of `postgres` that are slow, and swaps.
@Suite(.timeLimit(.minutes(10))) struct PostgresFlowTests {
    @Test func `twenty thousand notifications pass through a small mailbox`() throws {
        let world = try PostgresWorld()
        let manifest = """
            app.name = "counter"
            [plugins.db]
            library = "\(PostgresWorld.library)"
            config = { server = "postgresql://ada@127.0.0.1:\(world.server.port)/postgres" }
            [loops.main]
            state   = { ready = false, count = 0, sum = 0 }
            events  = { ready = {}, got = { number = "int" } }
            mailbox = { capacity = 16, overflow = "reject" }
            until   = "state.count == 20000"
            [loops.main.on]
            ready = { set = { ready = true } }
            got   = { set = { count = "state.count + 1", sum = "state.sum + event.number" } }
            [loops.main.feedback.listen]
            effect             = "db:listen"
            args               = ["'numbers'"]
            emits.listening    = { event = "ready" }
            emits.notification = { event = "got", number = "int(value.payload)" }
            emits.lost         = []
            [loops.main.feedback.send]
            when           = "state.ready"
            effect         = "db:execute"
            args           = [
                "'SELECT pg_notify($1, i::text) FROM generate_series(1, 20000) AS i'", "[{'text': 'numbers'}]",
            ]
            emits.executed = []
            [loops.main.feedback.print]
            effect = "std:print"
            when   = "state.count == 20000"
            args   = ["string(state.sum)"]
            """
        try world.folder.write("app.toml", manifest)
        let app = try RunningProgram(["run", "--quiet"], in: world.folder.root)
        #expect(app.nextLine() == "200010000")
        #expect(app.end().status == 0)
    }

    @Test(arguments: PluginMode.allCases)
    func `a swap listens again, and takes back what had not ended`(_ mode: PluginMode) throws {
        let world = try PostgresWorld(mode)
        try world.server.sql("CREATE TABLE t (a int)")
        let library = URL(fileURLWithPath: PostgresWorld.library)
        try FileManager.default.copyItem(at: library, to: world.folder.url("postgres.so"))
        try world.folder.write(
            "app.toml", world.manifest(library: "./postgres.so") + "\n" + PostgresWorld.listening)
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        #expect(host.program.nextLine() == "listening")
        let running = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'INSERT%' AND state = 'active'"
        try host.program.write("! INSERT INTO t SELECT 1 FROM pg_sleep(1000)")
        try blockUntil { try world.server.sql(running) == "1" }
        try host.swapChanged("db", "postgres.so")
        #expect(host.program.nextLine() == "listening")
        // The host has made the call again, and the server has ended the statement of the first one.
        try blockUntil { try world.server.sql(running) == "1" }
        try host.program.write("? SELECT count(*) FROM t")
        #expect(host.program.nextLine() == "count: 0")
        host.program.endInOrder()
    }
}
