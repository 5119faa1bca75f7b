import Foundation
import TestSupport
import Testing

/// Peers and loops that are slow, and swaps of the plugin `net`.
@Suite(.timeLimit(.minutes(10))) struct NetFlowTests {
    /// A frame of sixteen million bytes is far more than the system takes from an app whose peer does not read.
    private let settings = "longest = 16000000, most_unsent = 16000001"

    /// Has a peer send such a frame, which the app sends back.
    private func sendLong(_ peer: NetPeer, _ number: Int) throws {
        #expect(try peer("fill \(number) 15999999") == "said")
        #expect(try peer("say \(number) \\n") == "said")
    }

    /// Has the peer hear such a frame behind its first byte: 15,999,998 letters and the end of the line.
    private func hearLong(_ peer: NetPeer, _ number: Int) throws {
        #expect(try peer("count \(number) 15999999") == "15999999 15999998")
    }

    @Test(arguments: PluginMode.allCases)
    func `a small mailbox loses no line`(_ mode: PluginMode) throws {
        let world = try NetWorld(mode)
        let peer = try NetPeer()
        // The app prints each line, and sends nothing.
        let manifest = world.manifest(
            "listen", "tcp:127.0.0.1:0", more: "mailbox = { capacity = 16, overflow = \"reject\" }"
        )
        .replacing(
            "event = \"heard\", connection = \"value.connection\", data = \"value.data\"",
            with: "event = \"said\", text = \"value.text\"")
        let app = try world.folder.start(manifest)
        #expect(try peer("dial \(app.nextLine())") == "0")
        #expect(app.nextLine() == "opened")
        for round in 1...20 {
            let lines = (0..<1000).map { "\(round) \($0)\\n" }.joined()
            #expect(try peer("say 0 \(lines)") == "said")
        }
        for round in 1...20 {
            for number in 0..<1000 { try #require(app.nextLine() == "\(round) \(number)") }
        }
        app.endInOrder()
    }

    @Test func `a peer that reads slowly holds up nobody else`() throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        let (app, address) = try world.listen("tcp:127.0.0.1:0", settings)
        #expect(try peer("dial \(address)") == "0")
        #expect(app.nextLine() == "opened")
        try sendLong(peer, 0)
        #expect(try peer("hear 0 1") == "a")
        try sendLong(peer, 0)
        #expect(
            app.nextLine() == "-2 more bytes than the setting `most_unsent` allows would wait to be sent")
        #expect(try peer("dial \(address)") == "1")
        #expect(try peer("say 1 one\\n") == "said")
        #expect(try peer("hear 1 4") == "one\\n")
        #expect(app.nextLine() == "opened")
        try hearLong(peer, 0)
        app.endInOrder()
    }

    @Test func `a send that ends with its time closes the connection`() throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        let manifest = world.manifest("listen", "tcp:127.0.0.1:0", settings)
            .replacing("data = \"event.data\" }", with: "data = \"event.data\" }\ntimeout = '50ms'")
        let app = try world.folder.start(manifest)
        #expect(try peer("dial \(app.nextLine())") == "0")
        #expect(app.nextLine() == "opened")
        try sendLong(peer, 0)
        #expect(app.nextLine() == "-1010 `send` did not end within 0.05s")
        #expect(app.nextLine() == "closed: a call of `send` was cancelled amid its bytes")
        app.endInOrder()
    }

    @Test func `a swap keeps connections and sends each byte once`() throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        try FileManager.default.copyItem(at: NetWorld.library, to: world.folder.url("net.so"))
        try world.folder.write(
            "app.toml",
            world.manifest("listen", "tcp:127.0.0.1:0", settings, library: "./net.so"))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        let address = host.program.nextLine()
        for round in 0..<3 {
            #expect(try peer("dial \(address)") == "\(round)")
            #expect(host.program.nextLine() == "opened")
            try sendLong(peer, round)
            #expect(try peer("hear \(round) 1") == "a")
            #expect(try peer("say \(round) be") == "said")
            try host.swapChanged("net", "net.so")
            try hearLong(peer, round)
            #expect(try peer("say \(round) gun\\n") == "said")
            #expect(try peer("hear \(round) 6") == "begun\\n")
        }
        host.program.endInOrder()
        #expect(try peer("rest 0") == "ended ")
    }

    @Test func `a swap keeps the connection that the app has opened`() throws {
        let world = try NetWorld()
        let peer = try NetPeer()
        try FileManager.default.copyItem(at: NetWorld.library, to: world.folder.url("net.so"))
        let (listener, address) = try peer.listen()
        try world.folder.write("app.toml", world.manifest("connect", address, library: "./net.so"))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        #expect(try peer("accept \(listener)") == "1")
        #expect(host.program.nextLine() == "opened")
        try host.swapChanged("net", "net.so")
        #expect(try peer("say 1 one\\n") == "said")
        #expect(try peer("hear 1 4") == "one\\n")
        try host.program.write("typed")
        #expect(try peer("hear 1 6") == "typed\\n")
        host.program.endInOrder()
    }

    @Test func `in a worker, a swap ends connections, and the next version listens`() throws {
        let world = try NetWorld(.process)
        let peer = try NetPeer()
        try FileManager.default.copyItem(at: NetWorld.library, to: world.folder.url("net.so"))
        try world.folder.write(
            "app.toml", world.manifest("listen", "tcp:127.0.0.1:0", library: "./net.so"))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        #expect(try peer("dial \(host.program.nextLine())") == "0")
        #expect(host.program.nextLine() == "opened")
        try host.swapChanged("net", "net.so")
        #expect(try peer("rest 0") == "ended ")
        #expect(try peer("dial \(host.program.nextLine())") == "1")
        #expect(try peer("say 1 one\\n") == "said")
        #expect(try peer("hear 1 4") == "one\\n")
        host.program.endInOrder()
    }
}
