import Foundation
import TestSupport
import Testing

/// The server of the tests for WebSockets, and apps that speak with it through `spin:http`. Each emission is a line of
/// the app's output, after the path. A line of its input sends on the connection that was opened last: `text WORDS`,
/// `binary WORDS`, `close CODE REASON`. With `mute` it cancels the connections.
struct SocketWorld {
    let server: RunningProgram
    let port: Int
    let folder: TemporaryFolder
    private let mode: PluginMode

    init(_ mode: PluginMode = .inline) throws {
        self.mode = mode
        folder = try TemporaryFolder()
        server = try RunningProgram(fixture: "http/sockets.py")
        port = try #require(Int(server.nextLine()))
    }

    /// The address of the server, without a path.
    var address: String { "ws://127.0.0.1:\(port)" }

    /// An app that opens WebSockets.
    ///
    /// - Parameters:
    ///   - urls: their paths, or URLs of other servers.
    ///   - offer: the arguments `protocols` and `headers`, as expressions.
    ///   - config: settings of the plugin.
    ///   - more: further lines of the loop.
    func manifest(
        _ urls: [String], offer: (protocols: String, headers: String) = ("[]", "[]"), config: String = "",
        more: String = ""
    ) -> String {
        let isolation = mode.lines(sandbox: "connect = [\"tcp:\(port)\"]")
        let failed = "{ event = \"said\", text = \"'%d %s'.format([error.code, error.message])\" }"
        let feedbacks = urls.enumerated().map { index, url in
            """
            [loops.main.feedback.listen\(index)]
            effect   = "web:websocket"
            when     = "!state.muted"
            args.url       = "'\(url.hasPrefix("/") ? address + url : url)'"
            args.protocols = "\(offer.protocols)"
            args.headers   = "\(offer.headers)"
            on-error = \(failed)
            [loops.main.feedback.listen\(index).emits]
            opened = { event = "opened", connection = "value.connection", text = "'\(url) opened ' + value.protocol" }
            text   = { event = "said", text = "'\(url) text ' + value.text" }
            binary = { event = "said", text = "'\(url) %d bytes'.format([size(value.data)])" }
            closed = { event = "said", text = "'\(url) closed %d %s'.format([value.code, value.reason])" }
            """
        }
        return """
            app.name = "talker"
            app.sandbox = "best-effort"
            [plugins.web]
            library = "spin:http"
            config = { \(config) }
            \(isolation)
            [loops.main]
            state = { connection = "", muted = false }
            \(more)
            [loops.main.events]
            opened = { connection = "string", text = "string" }
            said   = { text = "string" }
            read   = { text = "string" }
            [loops.main.on]
            opened = { set = { connection = "event.connection" } }
            said   = {}
            read   = { set = { muted = "event.text == 'mute'" } }
            [loops.main.feedback.print]
            effect = "std:print"
            on     = ["opened", "said"]
            args   = ["event.text"]
            [loops.main.feedback.input]
            effect      = "std:lines"
            args        = ["'-'"]
            emits.line  = { event = "read", text = "value.text" }
            emits.ended = []
            [loops.main.feedback.text]
            on       = "read"
            when     = "event.text.startsWith('text ')"
            effect   = "web:send_text"
            args     = { connection = "state.connection", text = "event.text.substring(5)" }
            on-error = \(failed)
            [loops.main.feedback.binary]
            on       = "read"
            when     = "event.text.startsWith('binary ')"
            effect   = "web:send_bytes"
            args     = { connection = "state.connection", data = "bytes(event.text.substring(7))" }
            on-error = \(failed)
            [loops.main.feedback.close]
            on       = "read"
            when     = "event.text.startsWith('close ')"
            effect   = "web:close"
            on-error = \(failed)
            [loops.main.feedback.close.args]
            connection = "state.connection"
            code       = "int(event.text.split(' ')[1])"
            reason     = "event.text.split(' ')[2]"
            \(feedbacks.joined(separator: "\n"))
            """
    }

    /// Starts an app that opens WebSockets.
    func start(
        _ urls: String..., offer: (protocols: String, headers: String) = ("[]", "[]"), config: String = "",
        more: String = ""
    ) throws -> RunningProgram {
        return try folder.start(
            manifest(urls, offer: offer, config: config, more: more), environment: ["no_proxy": "127.0.0.1"])
    }

    /// Starts an app that has opened one WebSocket.
    func open(_ path: String = "/socket", config: String = "", more: String = "") throws -> RunningProgram {
        let app = try start(path, config: config, more: more)
        #expect(server.nextLine() == "\(path) asked")
        #expect(app.nextLine() == "\(path) opened ")
        return app
    }
}
