import Foundation
import TestSupport
import Testing

/// Commands, messages and entries of `redis`, with a real server.
@Suite(.timeLimit(.minutes(10))) struct RedisTests {
    @Test(arguments: PluginMode.allCases)
    func `a command has its answer, or fails`(_ mode: PluginMode) throws {
        let world = try RedisWorld(mode)
        let app = try world.start()
        for (command, answer) in [
            ("SET a grüß", "text OK"), ("GET a", "text grüß"), ("GET none", "null "), ("INCR n", "integer 1"),
            ("RPUSH l x y", "integer 2"), ("LRANGE l 0 -1", "x y"),
            ("INCR a", "-128 ERR value is not an integer or out of range"),
            (
                "BLPOP l 0",
                "-5 the command is refused: it would hold up the commands behind it, as it may wait"
            ),
            ("SELECT 1", "-5 the command is refused: it changes the connection, which all commands share"),
        ] {
            try app.write(command)
            #expect(app.nextLine() == answer)
        }
        // The runtime of a worker asks for nothing else, such as the socket of the system's log.
        #expect(!app.endInOrder().contains("was refused"))
    }

    @Test func `the server may have a name`() throws {
        let world = try RedisWorld()
        try world.folder.write(
            "app.toml", world.manifest().replacing("redis://127.0.0.1", with: "redis://localhost"))
        let app = try RunningProgram(["run", "--quiet"], in: world.folder.root)
        #expect(app.nextLine() == "subscribed")
        try app.write("ECHO hello")
        #expect(app.nextLine() == "text hello")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `messages and entries are events, and the app acknowledges entries`(_ mode: PluginMode) throws {
        let world = try RedisWorld(mode)
        let app = try world.start()
        try world.server("PUBLISH", "news", "hello")
        #expect(app.nextLine() == "news by : hello")
        try world.server("PUBLISH", "weather", "sun")
        #expect(app.nextLine() == "weather by w*: sun")
        try world.server("XADD", "jobs", "1-1", "f", "v", "g", "w")
        #expect(app.nextLine() == "1-1 f=v g=w")
        try blockUntil { try world.server("XPENDING", "jobs", "workers").hasPrefix("0") }
        app.endInOrder()
    }

    @Test func `when the server is killed and comes again, nothing of a stream is lost`() throws {
        let world = try RedisWorld()
        let app = try world.start()
        try world.server("XADD", "jobs", "1-1", "f", "v")
        #expect(app.nextLine() == "1-1 f=v")
        try blockUntil { try world.server("XPENDING", "jobs", "workers").hasPrefix("0") }
        try world.server.end()
        #expect(app.nextLine() == "lost: the server has closed the connection")
        #expect(app.nextLine(with: "refused") == "lost: cannot connect: Connection refused")
        try app.write("INCR n")
        #expect(app.nextLine().hasPrefix("-129 there is no connection: "))
        try world.server.start()
        #expect(app.nextLine(with: "subscribed") == "subscribed")
        try world.server("XADD", "jobs", "2-1", "f", "v")
        #expect(app.nextLine() == "2-1 f=v")
        try blockUntil { try world.server("XPENDING", "jobs", "workers").hasPrefix("0") }
        app.endInOrder()
    }

    @Test func `ten thousand entries pass through a small mailbox, in their order`() throws {
        let world = try RedisWorld()
        let script = "for i=1,10000 do redis.call('XADD','jobs',i..'-0','n',i) end"
        try world.server("EVAL", script, "0")
        let app = try world.start(
            acknowledges: true, more: "mailbox = { capacity = 16, overflow = \"reject\" }")
        for number in 1...10000 {
            let line = app.nextLine()
            guard line == "\(number)-0 n=\(number)" else {
                Issue.record("entry \(number) is `\(line)`")
                break
            }
        }
        try blockUntil { try world.server("XPENDING", "jobs", "workers").hasPrefix("0") }
        app.endInOrder()
    }

    @Test func `a wrong password is refused, and the log does not have it`() throws {
        let world = try RedisWorld()
        try world.server("ACL", "SETUSER", "ada", "on", ">correct horse", "~*", "&*", "+@all")
        func start(_ password: String) throws -> RunningProgram {
            try world.folder.write(
                "app.toml", world.manifest(config: "user = 'ada', password = { env = 'REDIS_PASSWORD' }"))
            return try RunningProgram(
                ["run", "--quiet"], in: world.folder.root, environment: ["REDIS_PASSWORD": password])
        }
        let wrong = try start("wrong horse")
        #expect(
            wrong.nextLine() == "lost: the server refuses the client: the user or the password is wrong")
        kill(wrong.identifier, SIGTERM)
        #expect(!wrong.end().errors.contains("wrong horse"))
        let right = try start("correct horse")
        #expect(right.nextLine() == "subscribed")
        right.endInOrder()
    }

    @Test func `a server that has a password in it ends the app, and the log does not have it`() throws {
        let world = try RedisWorld()
        let manifest = world.manifest().replacing("redis://", with: "redis://ada:horse@")
        try world.folder.write("app.toml", manifest)
        let outcome = try Shell.run(Project.spinhost, ["run", "--quiet"], in: world.folder.root)
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("setting `server`: it must be `redis://HOST[:PORT]` or `unix:/PATH`"))
        #expect(!outcome.errors.contains("horse"))
    }

    @Test(arguments: PluginMode.allCases)
    func `swaps lose no entry, and repeat none`(_ mode: PluginMode) throws {
        let world = try RedisWorld(mode)
        try FileManager.default.copyItem(
            at: URL(fileURLWithPath: RedisWorld.library), to: world.folder.url("redis.so"))
        try world.folder.write(
            "app.toml",
            world.manifest(
                library: "./redis.so", more: "mailbox = { capacity = 8, overflow = \"reject\" }"))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        #expect(host.program.nextLine(with: "subscribed") == "subscribed")
        let script = "for i=1,500 do redis.call('XADD','jobs',i..'-0','n',i) end"
        try world.server("EVAL", script, "0")
        for _ in 1...3 { try host.swapChanged("redis", "redis.so") }
        let numbers = (1...500).map { _ in host.program.nextLine(with: "n=") }
        #expect(numbers == (1...500).map { "\($0)-0 n=\($0)" })
        try blockUntil { try world.server("XPENDING", "jobs", "workers").hasPrefix("0") }
        host.program.endInOrder()
    }
}
