import Foundation
import TestSupport
import Testing

/// `websocket` of `spin:http`, and the effects that send.
@Suite(.timeLimit(.minutes(10))) struct HttpSocketTests {
    @Test(arguments: PluginMode.allCases)
    func `messages go in both directions`(_ mode: PluginMode) throws {
        let world = try SocketWorld(mode)
        let app = try world.open()
        try world.server.write("/socket text grüß Gott")
        #expect(app.nextLine() == "/socket text grüß Gott")
        try world.server.write("/socket binary 1000000")
        #expect(app.nextLine() == "/socket 1000000 bytes")
        // A message in three parts, with a ping and an empty part between.
        try world.server.write("/socket raw 010161" + "890170" + "000162" + "0000" + "800163")
        #expect(app.nextLine() == "/socket text abc")
        #expect(world.server.nextLine() == "/socket pong p")
        try app.write("text hello")
        #expect(world.server.nextLine() == "/socket text hello")
        try app.write("text " + String(repeating: "x", count: 1_000_000))
        #expect(world.server.nextLine() == "/socket binary 1000000")
        try app.write("binary 12345")
        #expect(world.server.nextLine() == "/socket binary 5")
        try app.write("close 4001 done")
        #expect(world.server.nextLine() == "/socket close 4001 done")
        #expect(app.nextLine() == "/socket closed 4001 done")
        try app.write("text late")
        #expect(app.nextLine() == "-55 the connection is closed")
        app.endInOrder()
    }

    @Test func `a message may come together with the answer`() throws {
        let world = try SocketWorld()
        let app = try world.open("/early")
        #expect(app.nextLine() == "/early text early")
        app.endInOrder()
    }

    @Test func `the server chooses one of the subprotocols, and gets the headers`() throws {
        let world = try SocketWorld()
        let app = try world.start(
            "/protocol", "/socket", offer: ("['v1', 'v2']", "['X-Team: red']"),
            config: "headers = ['X-Team: blue']")
        #expect(
            Set([world.server.nextLine(), world.server.nextLine()]) == [
                "/protocol asked v1, v2 red", "/socket asked v1, v2 red",
            ])
        #expect(Set([app.nextLine(), app.nextLine()]) == ["/protocol opened v2", "/socket opened "])
        // Each connection has its own messages.
        try world.server.write("/protocol text one")
        #expect(app.nextLine() == "/protocol text one")
        try world.server.write("/socket text two")
        #expect(app.nextLine() == "/socket text two")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `a proxy makes a tunnel to the server`(_ mode: PluginMode) throws {
        let world = try SocketWorld(mode)
        let url = "ws://nowhere.invalid/socket"
        let app = try world.start(url, config: "proxy = 'http://127.0.0.1:\(world.port)'")
        #expect(world.server.nextLine() == "nowhere.invalid:80 tunnel")
        #expect(world.server.nextLine() == "/socket asked")
        #expect(app.nextLine() == "\(url) opened ")
        try world.server.write("/socket text hello")
        #expect(app.nextLine() == "\(url) text hello")
        app.endInOrder()
    }

    @Test func `the user and the password of a URL are for the server alone`() throws {
        let world = try SocketWorld()
        let server = "me:pass@127.0.0.1:\(world.port)"
        let app = try world.start("ws://\(server)/missing?key=1")
        #expect(world.server.nextLine() == "/missing?key=1 asked Basic bWU6cGFzcw==")
        #expect(
            app.nextLine().replacing(world.address, with: "")
                == "-404 /missing?…: the server answers 404 Not Found")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `messages wait for room, and none is lost`(_ mode: PluginMode) throws {
        let world = try SocketWorld(mode)
        let app = try world.open(more: "mailbox = { capacity = 1, overflow = 'reject' }")
        try world.server.write("/socket many 2000")
        try world.server.write("/socket close 4000 over")
        for number in 0..<2000 { try #require(app.nextLine() == "/socket text \(number)") }
        #expect(app.nextLine() == "/socket closed 4000 over")
        app.endInOrder()
    }

    @Test(arguments: [
        ("/missing", "-404 /missing: the server answers 404 Not Found"),
        ("/moved", "-302 /moved: the server answers 302 Found"),
        ("/key", "-8 /key: the server's `Sec-WebSocket-Accept` is missing or wrong"),
        ("/upgrade", "-8 /upgrade: the server switches to another protocol than WebSocket"),
        ("/extension", "-8 /extension: the server uses an extension that was not offered"),
        ("/protocol", "-8 /protocol: the server has chosen a subprotocol that was not offered"),
        ("http://127.0.0.1/", "-43 the URL does not begin with `ws://` or `wss://`"),
        ("ws://[", "-43 the URL is not valid: Bad IPv6 address"),
    ])
    func `a connection that will never be a WebSocket is a failure`(_ url: String, _ line: String) throws {
        let world = try SocketWorld()
        let app = try world.start(url)
        #expect(app.nextLine().replacing(world.address, with: "") == line)
        app.endInOrder()
    }

    @Test(arguments: [
        ("['a b']", "[]", "-43 a subprotocol is not a word such as `chat.v1`"),
        ("[]", "['upgrade: h2c']", "-43 the plugin sets the header `Upgrade` itself"),
        ("[]", "['X']", "-43 a header is not written `Name: value`"),
    ])
    func `an offer that is not valid is refused`(_ protocols: String, _ headers: String, _ line: String)
        throws
    {
        let world = try SocketWorld()
        let app = try world.start("/socket", offer: (protocols, headers))
        #expect(app.nextLine() == line)
        app.endInOrder()
    }

    @Test(arguments: [
        ("8102c328", "-61 /socket: a text of the server is not UTF-8", 1007),
        ("c10161", "-8 /socket: the server has sent a frame that is not valid", 1002),
        ("8182000000006869", "-8 /socket: the server has sent a frame that is not valid", 1002),
        ("8106313233343536", "-63 /socket: a message is larger than 5 bytes (setting `largest_body`)", 1009),
        (
            "01033132338003343536", "-63 /socket: a message is larger than 5 bytes (setting `largest_body`)",
            1009
        ),
    ])
    func `a server that breaks the rules gets the code for it`(_ bytes: String, _ line: String, _ code: Int)
        throws
    {
        let world = try SocketWorld()
        let app = try world.open(config: "largest_body = 5")
        try world.server.write("/socket raw \(bytes)")
        #expect(app.nextLine().replacing(world.address, with: "") == line)
        #expect(world.server.nextLine() == "/socket close \(code) ")
        app.endInOrder()
    }

    @Test func `a server that answers no ping is lost, and one that does is not`() throws {
        let world = try SocketWorld()
        let app = try world.open("/deaf", config: "ping_interval = '50ms'")
        let reason = "the server has not answered a ping within 0.05 s (setting `ping_interval`)"
        #expect(app.nextLine() == "/deaf closed 1006 \(reason)")
        let warning = "warning: plugin `http`: a WebSocket is lost url=\(world.address)/deaf"
        #expect(app.nextErrorLine() == "\(warning) reason=\"\(reason)\" retry_seconds=3.0")
        app.endInOrder()
        let other = try SocketWorld()
        let patient = try other.open(config: "ping_interval = '1s'")
        for _ in 0..<2 { #expect(other.server.nextLine() == "/socket ping ") }
        try other.server.write("/socket text here")
        #expect(patient.nextLine() == "/socket text here")
        patient.endInOrder()
    }

    @Test(arguments: [("never", "timeout = '50ms'"), ("", "")])
    func `a server that cannot be reached or says nothing is asked again later`(
        _ path: String, _ config: String
    ) throws {
        let world = try SocketWorld()
        let url = path.isEmpty ? "ws://127.0.0.1:1/" : "\(world.address)/\(path)"
        let app = try world.start(url, config: config)
        let reason =
            path.isEmpty
            ? "cannot connect: Connection refused" : "no whole answer within 0.05 s (setting `timeout`)"
        let warning = "warning: plugin `http`: a WebSocket is lost url=\(url)"
        #expect(app.nextErrorLine() == "\(warning) reason=\"\(reason)\" retry_seconds=3.0")
        app.endInOrder()
    }
}
