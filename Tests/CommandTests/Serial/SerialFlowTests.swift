import Foundation
import TestSupport
import Testing

/// Many bytes through the plugin `serial`, sides that do not read, and swaps.
@Suite(.timeLimit(.minutes(10))) struct SerialFlowTests {
    @Test(arguments: PluginMode.allCases)
    func `a small mailbox loses no line of a megabyte`(_ mode: PluginMode) throws {
        let world = try SerialWorld(mode)
        let peer = try world.plug()
        let count = 20_000
        let line = String(repeating: "a", count: 51)
        let app = try world.startReading(
            from: peer, more: "mailbox = { capacity = 16, overflow = \"reject\" }")
        // The other side waits while the app does.
        Thread.detachNewThread { peer.send((1...count).map { "\($0) \(line)\n" }.joined()) }
        for number in 1...count { try #require(app.nextLine() == "\(number) \(line)") }
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `a megabyte comes back as it was sent`(_ mode: PluginMode) throws {
        let world = try SerialWorld(mode)
        let peer = try world.plug()
        // The loop sends each frame back, and prints nothing.
        let echo = "{ on = 'echo', effect = 'port:write', args = { data = 'event.data' } }"
        let manifest =
            world.manifest(framing: "length:65536")
            .replacing("events = { ", with: "events = { echo = { data = \"bytes\" }, ")
            .replacing("typed = {}", with: "typed = {}\necho  = {}")
            .replacing(
                "event = \"said\", text = \"string(value.data)\"",
                with: "event = \"echo\", data = \"value.data\""
            )
            .replacing("feedback.print =", with: "feedback.echo = \(echo)\nfeedback.print =")
        let app = try world.folder.start(manifest)
        #expect(app.nextLine() == "opened")
        try app.write("ready")
        #expect(peer.receivedText(6) == "ready\n")
        for round in 0..<16 {
            let bytes = (0..<65536).map { UInt8(truncatingIfNeeded: ($0 + round) &* 7 >> 3) }
            peer.send(bytes)
            try #require(peer.received(bytes.count) == bytes)
        }
        app.endInOrder()
    }

    /// A feedback that writes a million bytes, far more than the system takes.
    private func long(_ more: String = "") -> String {
        let part = String(repeating: "a", count: 1000)
        let failure = "{ event = 'said', text = \"'%d %s'.format([error.code, error.message])\" }"
        return """
            feedback.long = { on = 'typed', when = "event.text == '/long'", effect = 'port:write', \
            args = { data = "bytes('\(part)'.replace('a', '\(part)'))" }, on-error = \(failure)\(more) }
            """
    }

    /// How many bytes come before a text.
    private func count(_ peer: SerialPeer, until text: String) -> Int {
        var received = peer.received(text.utf8.count)
        while !received.suffix(text.utf8.count).elementsEqual(text.utf8) {
            let more = peer.received(1)
            guard !more.isEmpty else { break }
            received += more
        }
        return received.count - text.utf8.count
    }

    @Test func `a write that the other side does not read ends with its time`() throws {
        let world = try SerialWorld()
        let peer = try world.plug()
        let app = try world.startReading(
            from: peer, "most_unsent = 1000100", more: long(", timeout = '50ms'"))
        try app.write("/long")
        #expect(app.nextLine() == "-1010 `write` did not end within 0.05s")
        try app.write("next")
        #expect(count(peer, until: "next\n") < 1_000_000)
        app.endInOrder()
    }

    @Test func `a swap amid a write sends each byte once`() throws {
        let world = try SerialWorld()
        let peer = try world.plug()
        try FileManager.default.copyItem(at: SerialWorld.library, to: world.folder.url("serial.so"))
        try world.folder.write(
            "app.toml", world.manifest("most_unsent = 2000000", library: "./serial.so", more: long()))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        #expect(host.program.nextLine() == "opened")
        try host.program.write("/long")
        #expect(peer.received(1) == [UInt8(ascii: "a")])
        try host.swapChanged("port", "serial.so")
        #expect(host.program.nextLine() == "opened")
        try host.program.write("next")
        #expect(count(peer, until: "next\n") == 999_999)
        host.program.endInOrder()
    }

    @Test func `a swap amid a line loses no byte`() throws {
        let world = try SerialWorld()
        let peer = try world.plug()
        try FileManager.default.copyItem(at: SerialWorld.library, to: world.folder.url("serial.so"))
        try world.folder.write("app.toml", world.manifest(library: "./serial.so"))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        #expect(host.program.nextLine() == "opened")
        try host.program.write("ready")
        #expect(peer.receivedText(6) == "ready\n")
        for round in 1...3 {
            peer.send("\(round)\n\(round) be")
            #expect(host.program.nextLine() == "\(round)")
            try host.swapChanged("port", "serial.so")
            peer.send("gun\n")
            // The next version tells that its port is open, before or after it reads.
            #expect(Set([host.program.nextLine(), host.program.nextLine()]) == ["opened", "\(round) begun"])
        }
        host.program.endInOrder()
        #expect(peer.settings.c_lflag != 0)
    }

    @Test func `in a worker, the next version opens the port itself`() throws {
        let world = try SerialWorld(.process)
        let peer = try world.plug()
        try FileManager.default.copyItem(at: SerialWorld.library, to: world.folder.url("serial.so"))
        try world.folder.write("app.toml", world.manifest("reopen = '10ms'", library: "./serial.so"))
        let host = try ControlledHost(in: world.folder, ["--quiet"])
        #expect(host.program.nextLine() == "opened")
        try host.swapChanged("port", "serial.so")
        #expect(host.program.nextLine(with: "opened") == "opened")
        try host.program.write("ready")
        #expect(peer.receivedText(6) == "ready\n")
        peer.send("line\n")
        #expect(host.program.nextLine() == "line")
        host.program.endInOrder()
    }
}
