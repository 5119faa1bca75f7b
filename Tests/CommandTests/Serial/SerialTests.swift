import Foundation
import Glibc
import TestSupport
import Testing

/// Ports of the plugin `serial` in the host, with pseudo-terminals as devices.
@Suite(.timeLimit(.minutes(10))) struct SerialTests {
    @Test(arguments: PluginMode.allCases)
    func `a line of the device is an event, and the app writes to it`(_ mode: PluginMode) throws {
        let world = try SerialWorld(mode)
        let peer = try world.plug()
        let app = try world.startReading(from: peer)
        peer.send("one\r\nt")
        #expect(app.nextLine() == "one")
        peer.send("wo\n")
        peer.send([0x66, 0xFF, 0x0A])
        #expect(app.nextLine() == "two")
        #expect(app.nextLine() == "f\u{FFFD}")
        try app.write("grüß")
        #expect(peer.receivedText(7) == "grüß\n")
        app.endInOrder()
    }

    @Test(arguments: PluginMode.allCases)
    func `a damaged frame is named, and the next one is whole`(_ mode: PluginMode) throws {
        let world = try SerialWorld(mode)
        let peer = try world.plug()
        let app = try world.startReading(from: peer, "longest = 8", framing: "slip")
        peer.send([0xC0] + Array("one".utf8) + [0xC0, 0x61, 0xDB, 0x61, 0xC0])
        peer.send(Array("123456789".utf8) + [0xC0] + Array("two".utf8) + [0xC0])
        #expect(app.nextLine() == "one")
        #expect(app.nextLine() == "damaged 3: it has an escape that SLIP does not know")
        #expect(app.nextLine() == "damaged 9: it is longer than 8 bytes (setting `longest`)")
        #expect(app.nextLine() == "two")
        app.endInOrder()
    }

    @Test func `a pause ends a frame`() throws {
        let world = try SerialWorld()
        let peer = try world.plug()
        let app = try world.startReading(from: peer, framing: "idle:20ms")
        for text in ["one", "two"] {
            peer.send(text)
            #expect(app.nextLine() == text)
        }
        app.endInOrder()
    }

    @Test(arguments: [
        ("device = ''", "setting `device`: it is not a path"),
        ("device = '/dev/null'", "setting `device`: `/dev/null` is not a serial port"),
        ("device = '/tmp'", "setting `device`: `/tmp` is not a serial port"),
        ("format = '8Y1'", "it is not data bits, parity and stop bits, such as `8N1` or `7E2`"),
        ("format = '7E1'", "cannot do `7E1`"),
        ("flow = 'both'", "setting `flow`: it is not `none`, `hardware` or `software`"),
    ])
    func `a setting that does not fit ends the app before it begins`(_ config: String, _ reason: String)
        throws
    {
        let world = try SerialWorld()
        let peer = try world.plug()
        let end = try world.start(config).end()
        #expect(end.status == 69)
        #expect(end.errors.contains(reason), "\(end.errors)")
        // It has left the port as it was.
        #expect(peer.settings.c_lflag & tcflag_t(ICANON) != 0)
    }

    @Test func `the port has its settings until the app ends`() throws {
        let world = try SerialWorld()
        let peer = try world.plug()
        let before = peer.settings
        let app = try world.startReading(from: peer, "baud = 19200, format = '8N2', flow = 'software'")
        let settings = peer.settings
        // Safe because the call reads the settings only.
        #expect(unsafe withUnsafePointer(to: settings) { unsafe cfgetospeed($0) } == speed_t(B19200))
        #expect(settings.c_cflag & tcflag_t(CSTOPB) != 0)
        #expect(settings.c_iflag & tcflag_t(IXON | IXOFF) == tcflag_t(IXON | IXOFF))
        #expect(settings.c_lflag == 0 && settings.c_oflag == 0)
        app.endInOrder()
        let after = peer.settings
        #expect(after.c_lflag == before.c_lflag && after.c_cflag == before.c_cflag)
    }

    @Test func `a device may come later, go, and come back`() throws {
        let world = try SerialWorld()
        let app = try world.start("reopen = '10ms'")
        #expect(app.nextLine() == "closed: cannot open `\(world.port.path)`: No such file or directory")
        try app.write("lost")
        #expect(
            app.nextLine()
                == "-1 the port is closed: cannot open `\(world.port.path)`: No such file or directory")
        for round in 1...3 {
            do {
                let peer = try world.plug()
                #expect(app.nextLine() == "opened")
                try app.write("back")
                #expect(peer.receivedText(5) == "back\n")
                peer.send("\(round)\nrest")
                #expect(app.nextLine() == "\(round)")
                try FileManager.default.removeItem(at: world.port)
            }
            #expect(app.nextLine() == "damaged 4: the port was closed before its end")
            #expect(app.nextLine() == "closed: `\(world.port.path)` has gone: it was disconnected")
        }
        app.endInOrder()
    }

    @Test func `a port that is in use is not shared`() throws {
        let world = try SerialWorld()
        let peer = try world.plug()
        peer.lock(true)
        let app = try world.start("reopen = '10ms'")
        let reason =
            "cannot open `\(world.port.path)`: it is locked by another program, or by another loop of this app"
        #expect(app.nextLine() == "closed: \(reason)")
        peer.lock(false)
        #expect(app.nextLine() == "opened")
        let other = try world.start("reopen = '10ms'")
        #expect(other.nextLine() == "closed: \(reason)")
        app.endInOrder()
        #expect(other.nextLine() == "opened")
        other.endInOrder()
    }

    @Test func `an effect that the port cannot serve fails`() throws {
        let world = try SerialWorld()
        let peer = try world.plug()
        for (call, reason) in [
            ("signals', emits.signals = []", "-1 the device has no modem lines"),
            ("set_signals', args = { dtr = true, rts = true }", "-1 the device has no modem lines"),
            ("send_break', args = { time = '20ms' }", "-1 the device has no modem lines"),
            ("send_break', args = { time = '0s' }", "-5 a break is longer than 0 s, and at most 60 s"),
            (
                "lines', emits.line = [], emits.damaged = []",
                "-1 another call reads from the port already"
            ),
        ] {
            let failure = "{ event = 'said', text = \"'%d %s'.format([error.code, error.message])\" }"
            let more = "feedback.more = { on = 'typed', effect = 'port:\(call), on-error = \(failure) }"
            let app = try world.startReading(from: peer, more: more)
            #expect(app.nextLine() == reason)
            app.endInOrder()
        }
    }
}
