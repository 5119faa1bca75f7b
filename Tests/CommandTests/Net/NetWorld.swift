import Foundation
import TestSupport
import Testing

/// Peers of an app, as one program of Python. Each command is a function of `peer.py`, which answers with one line.
final class NetPeer {
    private let program: RunningProgram

    init() throws {
        program = try RunningProgram(
            [Project.root.appendingPathComponent("Tests/Fixtures/net/peer.py").path],
            program: "/usr/bin/python3")
    }

    func callAsFunction(_ command: String) throws -> String {
        try program.write(command)
        return program.nextLine()
    }

    /// Listens; the number of the socket, and its address.
    func listen(_ address: String = "tcp:127.0.0.1:0") throws -> (number: String, address: String) {
        try pair(self("listen \(address)"))
    }

    /// A socket of UDP; its number and its address.
    func bind(_ address: String = "udp:127.0.0.1:0") throws -> (number: String, address: String) {
        try pair(self("bind \(address)"))
    }

    private func pair(_ answer: String) throws -> (number: String, address: String) {
        let parts = answer.split(separator: " ")
        try #require(parts.count == 2, "\(answer)")
        return (String(parts[0]), String(parts[1]))
    }
}

/// Apps that use the plugin `net`. They send each frame back, and print what else they hear. A line of their input goes
/// to the connection that was opened last. The line `/close` closes it.
struct NetWorld {
    let folder: TemporaryFolder
    private let mode: PluginMode

    init(_ mode: PluginMode = .inline) throws {
        self.mode = mode
        folder = try TemporaryFolder()
    }

    /// The library of this build.
    static let library = Project.root.appendingPathComponent("build/plugins/net/net.so")

    /// - Parameters:
    ///   - effect: `listen` or `connect`.
    ///   - config: settings of the plugin.
    ///   - library: the path of the plugin.
    ///   - more: further lines of the loop.
    func manifest(
        _ effect: String, _ address: String, framing: String = "lines", _ config: String = "",
        library: String = library.path, more: String = ""
    ) -> String {
        let port = address.split(separator: ":").last ?? ""
        let isolation = mode.lines(
            sandbox:
                #"connect = ["tcp:\#(effect == "connect" ? port : "1")"], listen = ["tcp:0"], files = 1000"#)
        let changes =
            effect == "connect"
            ? """
            emits.connected = { event = "opened", connection = "value.connection" }
            emits.lost      = { event = "said", text = "'lost: ' + value.reason" }
            """
            : """
            emits.listening = { event = "said", text = "value.address" }
            emits.opened    = { event = "opened", connection = "value.connection" }
            emits.closed    = { event = "said", text = "'closed: ' + value.reason" }
            """
        return """
            app.name = "peers"
            app.sandbox = "best-effort"
            [plugins.net]
            library = "\(library)"
            config = { \(config) }
            \(isolation)
            [loops.main]
            state = { last = "" }
            \(more)
            feedback.print = { effect = "std:print", on = "said", args = { text = "event.text" } }
            feedback.show = { effect = "std:print", on = "opened", args = { text = "'opened'" } }
            [loops.main.events]
            said   = { text = "string" }
            opened = { connection = "string" }
            heard  = { connection = "string", data = "bytes" }
            typed  = { text = "string" }
            [loops.main.on]
            said   = {}
            opened = { set = { last = "event.connection" } }
            heard  = {}
            typed  = {}
            [loops.main.feedback.net]
            effect = "net:\(effect)"
            args   = { address = "'\(address)'", framing = "'\(framing)'" }
            emits.frame   = { event = "heard", connection = "value.connection", data = "value.data" }
            emits.damaged = { event = "said", text = "'damaged %d: %s'.format([value.bytes, value.reason])" }
            \(changes)
            [loops.main.feedback.answer]
            on       = "heard"
            strategy = "continue-on-new-state"
            effect   = "net:send"
            args     = { connection = "event.connection", data = "event.data" }
            \(PluginApp.failure)
            \(PluginApp.input("typed"))
            [loops.main.feedback.tell]
            on       = "typed"
            when     = "!event.text.startsWith('/')"
            strategy = "continue-on-new-state"
            effect   = "net:send"
            args     = { connection = "state.last", data = "bytes(event.text)" }
            \(PluginApp.failure)
            [loops.main.feedback.close]
            on     = "typed"
            when   = "event.text == '/close'"
            effect = "net:close"
            args   = { connection = "state.last" }
            """
    }

    /// An app that listens, and where.
    func listen(
        _ address: String = "tcp:127.0.0.1:0", framing: String = "lines", _ config: String = "",
        more: String = ""
    ) throws -> (app: RunningProgram, address: String) {
        let app = try folder.start(manifest("listen", address, framing: framing, config, more: more))
        return (app, app.nextLine())
    }

    /// An app that connects.
    func connect(_ address: String, framing: String = "lines", _ config: String = "") throws
        -> RunningProgram
    {
        return try folder.start(manifest("connect", address, framing: framing, config))
    }
}
