import Foundation
import TestSupport
import Testing

/// Peers that connect to an app through the plugin `net`.
@Suite(.timeLimit(.minutes(10))) struct NetTests {
    @Test(arguments: PluginMode.allCases)
    func `a line of a peer is an event, and the app answers`(_ mode: PluginMode) throws {
        let world = try NetWorld(mode)
        let peer = try NetPeer()
        let (app, address) = try world.listen()
        #expect(try peer("dial \(address)") == "0")
        #expect(app.nextLine() == "opened")
        #expect(try peer("say 0 one\\r\\nt") == "said")
        #expect(try peer("hear 0 4") == "one\\n")
        #expect(try peer("say 0 wo\\n") == "said")
        #expect(try peer("hear 0 4") == "two\\n")
        try app.write("typed")
        #expect(try peer("hear 0 6") == "typed\\n")
        try app.write("/close")
        #expect(try peer("rest 0") == "ended ")
        #expect(try peer("close 0") == "closed")
        #expect(app.nextLine() == "closed: the app has closed it")
        try app.write("late")
        #expect(app.nextLine() == "-128 no such connection is open")
        app.endInOrder()
    }

    @Test(arguments: ["tcp:[::1]:0", "tcp:[::]:0", "unix:"])
    func `peers come over IPv6 and local sockets`(_ address: String) throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        let file = world.folder.url("socket")
        let (app, listening) = try world.listen(address == "unix:" ? "unix:\(file.path)" : address)
        let place = listening.replacing("[::]", with: "127.0.0.1")
        #expect(try peer("dial \(place)") == "0")
        #expect(try peer("say 0 one\\n") == "said")
        #expect(try peer("hear 0 4") == "one\\n")
        app.endInOrder()
        #expect(try peer("rest 0") == "ended ")
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `a peer that sends no more gets its answers`() throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        let (app, address) = try world.listen("tcp:127.0.0.1:0", "answer_timeout = '50ms'")
        #expect(try peer("dial \(address)") == "0")
        #expect(try peer("say 0 one\\nrest") == "said")
        #expect(try peer("end 0") == "ended")
        #expect(try peer("rest 0") == "ended one\\n")
        #expect(app.nextLine() == "opened")
        #expect(app.nextLine() == "damaged 4: the connection was closed before its end")
        #expect(app.nextLine() == "closed: the peer has closed it")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `the app hears of a peer that breaks off`(_ mode: PluginMode) throws {
        let world = try NetWorld(mode)
        let peer = try NetPeer()
        let (app, address) = try world.listen()
        #expect(try peer("dial \(address)") == "0")
        #expect(app.nextLine() == "opened")
        #expect(try peer("reset 0") == "closed")
        #expect(app.nextLine() == "closed: Connection reset by peer")
        app.endInOrder()
    }

    @Test func `frames may have any bytes, and may come in parts`() throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        let (app, address) = try world.listen(framing: "prefix:u16")
        #expect(try peer("dial \(address)") == "0")
        #expect(try peer("say 0 \\x00\\x05\\x00\\xff\\n") == "said")
        #expect(app.nextLine() == "opened")
        #expect(try peer("say 0 \\r\\x80\\x00\\x00") == "said")
        #expect(try peer("hear 0 9") == "\\x00\\x05\\x00\\xff\\n\\r\\x80\\x00\\x00")
        app.endInOrder()
    }

    @Test func `a frame that is too long is named, and the next one is whole`() throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        let (app, address) = try world.listen("tcp:127.0.0.1:0", "longest = 1000")
        #expect(try peer("dial \(address)") == "0")
        #expect(try peer("fill 0 5000000") == "said")
        #expect(try peer("say 0 \\nnext\\n") == "said")
        #expect(try peer("hear 0 5") == "next\\n")
        #expect(app.nextLine() == "opened")
        #expect(app.nextLine() == "damaged 5000000: it is longer than 1000 bytes (setting `longest`)")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `many connections are open at a time`(_ mode: PluginMode) throws {
        let world = try NetWorld(mode)
        let peer = try NetPeer()
        let (app, address) = try world.listen()
        #expect(try peer("many \(address) 100") == "100 answers")
        for _ in 0..<100 { #expect(app.nextLine() == "opened") }
        app.endInOrder()
    }

    @Test func `more connections than allowed wait`() throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        let (app, address) = try world.listen("tcp:127.0.0.1:0", "most_connections = 1")
        #expect(try peer("dial \(address)") == "0")
        #expect(try peer("dial \(address)") == "1")
        #expect(try peer("say 1 two\\n") == "said")
        #expect(app.nextLine() == "opened")
        #expect(try peer("reset 0") == "closed")
        #expect(try peer("hear 1 4") == "two\\n")
        app.endInOrder()
    }

    @Test(arguments: [
        ("listen", "tcp:localhost:80", "an address to listen at is written with digits"),
        ("listen", "127.0.0.1:80", "an address is `tcp:HOST:PORT`, `udp:HOST:PORT` or `unix:/PATH`"),
        ("connect", "unix:@app", "the path of a local socket begins with `/`"),
        (
            "listen", "unix:/nowhere/a.sock",
            "cannot listen at `unix:/nowhere/a.sock`: No such file or directory"
        ),
    ])
    func `an address that does not fit is a fault`(
        _ effect: String, _ address: String, _ reason: String
    ) throws {
        let world = try NetWorld()
        let app = try world.folder.start(world.manifest(effect, address))
        #expect(app.waitForErrors(reason))
        app.endInOrder()
    }
}
