import Foundation
import TestSupport
import Testing

/// Connections that an app opens through the plugin `net`.
@Suite(.timeLimit(.minutes(10))) struct NetConnectTests {
    private let quick = "reconnect_least = '10ms', reconnect_most = '20ms'"

    @Test(arguments: PluginMode.allCases)
    func `a connection that is lost is made again`(_ mode: PluginMode) throws {
        let world = try NetWorld(mode)
        let peer = try NetPeer()
        let (listener, address) = try peer.listen()
        let app = try world.connect(address, quick)
        for number in 1...3 {
            #expect(try peer("accept \(listener)") == "\(number)")
            #expect(app.nextLine() == "opened")
            #expect(try peer("say \(number) one\\ntwo") == "said")
            #expect(try peer("hear \(number) 4") == "one\\n")
            try app.write("typed")
            #expect(try peer("hear \(number) 6") == "typed\\n")
            #expect(try peer("close \(number)") == "closed")
            #expect(app.nextLine() == "damaged 3: the connection was closed before its end")
            #expect(app.nextLine() == "lost: the peer has closed it")
        }
        app.endInOrder()
    }

    @Test func `a peer may come later`() throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        let (first, address) = try peer.listen()
        #expect(try peer("close \(first)") == "closed")
        let app = try world.connect(address, quick)
        #expect(app.nextLine() == "lost: cannot connect: Connection refused")
        try app.write("typed")
        #expect(app.nextLine() == "-128 no such connection is open")
        let (listener, _) = try peer.listen(address)
        #expect(try peer("accept \(listener)") == "2")
        #expect(app.nextLine() == "opened")
        try app.write("typed")
        #expect(try peer("hear 2 6") == "typed\\n")
        app.endInOrder()
        #expect(try peer("rest 2") == "ended ")
    }

    @Test func `a name is looked up`() throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        let (listener, address) = try peer.listen()
        let app = try world.connect(address.replacing("127.0.0.1", with: "localhost"), quick)
        #expect(try peer("accept \(listener)") == "1")
        #expect(app.nextLine() == "opened")
        app.endInOrder()
        let lost = try world.connect("tcp:no-such-host.invalid:80", quick)
        #expect(lost.nextLine().hasPrefix("lost: cannot find `no-such-host.invalid`: "))
        lost.endInOrder()
    }

    @Test func `a local socket is a peer`() throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        let (listener, address) = try peer.listen("unix:\(world.folder.url("socket").path)")
        let app = try world.connect(address)
        #expect(try peer("accept \(listener)") == "1")
        #expect(try peer("say 1 one\\n") == "said")
        #expect(try peer("hear 1 4") == "one\\n")
        #expect(app.nextLine() == "opened")
        app.endInOrder()
    }

    @Test func `datagrams are answered, and those that are too long are named`() throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        let app = try world.folder.start(
            """
            app.name = "datagrams"
            [plugins.net]
            library = "\(NetWorld.library.path)"
            config = { longest = 8 }
            [loops.main]
            state  = { heard = 0 }
            events = { said = { text = "string" }, heard = { sender = "string", data = "bytes" } }
            [loops.main.on]
            said  = {}
            heard = { set = { heard = "state.heard + 1" } }
            [loops.main.feedback.print]
            effect = "std:print"
            on     = "said"
            args   = { text = "event.text" }
            [loops.main.feedback.receive]
            effect = "net:receive"
            args   = { address = "'udp:127.0.0.1:0'" }
            emits.listening = { event = "said", text = "value.address" }
            emits.datagram  = { event = "heard", sender = "value.sender", data = "value.data" }
            emits.damaged   = { event = "said", text = "'damaged %d: %s'.format([value.bytes, value.reason])" }
            [loops.main.feedback.answer]
            on     = "heard"
            effect = "net:send_to"
            args   = { from = "'udp:127.0.0.1:0'", to = "event.sender", data = "event.data" }
            """)
        let address = app.nextLine()
        let (own, _) = try peer.bind()
        #expect(try peer("tell \(own) \(address) one") == "told")
        #expect(try peer("told \(own)") == "one")
        #expect(try peer("tell \(own) \(address) 123456789") == "told")
        #expect(app.nextLine() == "damaged 9: it is longer than 8 bytes (setting `longest`)")
        #expect(try peer("tell \(own) \(address) \\xff\\x00") == "told")
        #expect(try peer("told \(own)") == "\\xff\\x00")
        app.endInOrder()
    }
}
