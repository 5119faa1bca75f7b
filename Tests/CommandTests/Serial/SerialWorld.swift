import Foundation
import TestSupport
import Testing

/// Apps that use a port through the plugin `serial`. They print what the port emits, and write each line of their
/// input to it that does not begin with `/`.
struct SerialWorld {
    let folder: TemporaryFolder
    private let mode: PluginMode

    init(_ mode: PluginMode = .inline) throws {
        self.mode = mode
        folder = try TemporaryFolder()
    }

    /// The library of this build.
    static let library = Project.root.appendingPathComponent("build/plugins/serial/serial.so")

    /// The path of the port, which leads nowhere until it is plugged in.
    var port: URL { folder.url("port") }

    func plug() throws -> SerialPeer { try SerialPeer(at: port) }

    /// - Parameters:
    ///   - config: settings of the plugin, besides `device`.
    ///   - framing: that of `frames`; without one, the app reads lines.
    ///   - library: the path of the plugin.
    ///   - more: further lines of the loop.
    func manifest(
        _ config: String = "", framing: String? = nil, library: String = library.path, more: String = ""
    ) -> String {
        let isolation = mode.lines(sandbox: #"read = ["\#(port.path)"], write = ["\#(port.path)"]"#)
        let device = config.contains("device =") ? [] : ["device = '\(port.path)'"]
        let settings = (device + (config.isEmpty ? [] : [config])).joined(separator: ", ")
        let reading =
            if let framing {
                """
                effect = "port:frames"
                args   = { framing = "'\(framing)'" }
                emits.frame = { event = "said", text = "string(value.data)" }
                """
            } else {
                """
                effect = "port:lines"
                emits.line = { event = "said", text = "value.text" }
                """
            }
        return """
            app.name = "terminal"
            app.sandbox = "best-effort"
            [plugins.port]
            library = "\(library)"
            config = { \(settings) }
            \(isolation)
            [loops.main]
            state  = { said = 0 }
            events = { said = { text = "string" }, typed = { text = "string" } }
            \(more)
            feedback.print = { effect = "std:print", on = "said", args = { text = "event.text" } }
            [loops.main.on]
            said  = { set = { said = "state.said + 1" } }
            typed = {}
            [loops.main.feedback.watch]
            effect = "port:open"
            emits.opened = { event = "said", text = "'opened'" }
            emits.closed = { event = "said", text = "'closed: ' + value.reason" }
            [loops.main.feedback.read]
            \(reading)
            emits.damaged = { event = "said", text = "'damaged %d: %s'.format([value.bytes, value.reason])" }
            \(PluginApp.input("typed"))
            [loops.main.feedback.write]
            on       = "typed"
            when     = "!event.text.startsWith('/')"
            effect   = "port:write"
            args     = { data = "bytes(event.text + '\\\\n')" }
            \(PluginApp.failure)
            """
    }

    /// Starts such an app.
    func start(_ config: String = "", framing: String? = nil, more: String = "") throws -> RunningProgram {
        return try folder.start(manifest(config, framing: framing, more: more))
    }

    /// Starts an app whose port is there, and waits until it reads.
    func startReading(
        from peer: SerialPeer, _ config: String = "", framing: String? = nil, more: String = ""
    ) throws -> RunningProgram {
        let app = try start(config, framing: framing, more: more)
        #expect(app.nextLine() == "opened")
        // The call that reads has come before the one that writes.
        try app.write("ready")
        #expect(peer.receivedText(6) == "ready\n")
        return app
    }
}
