import Foundation
import TestSupport
import Testing

/// A nats-server in a folder of its own, at a port that is free.
final class NatsServer: ServerProgram {
    /// - Parameter lines: its configuration. The program runs in the folder, where relative names begin.
    init(_ lines: String = "") throws {
        let folder = try TemporaryFolder()
        try folder.write("server.conf", lines)
        try super.init("nats-server", in: folder)
    }

    override func launch() throws -> RunningProgram {
        try RunningProgram(
            ["-a", "127.0.0.1", "-p", "\(port)", "-c", "server.conf"], in: folder.root,
            program: "/usr/sbin/nats-server")
    }

    override func listens(_ program: RunningProgram) -> Bool { program.waitForErrors("Server is ready\n") }

    /// Another client publishes the numbers up to `last`, and the server has them.
    func publishNumbers(_ subject: String, upTo last: Int) throws {
        let script = """
            import socket, sys
            client = socket.create_connection(("127.0.0.1", \(port))).makefile("rwb")
            client.write(b'CONNECT {"verbose":false}\\r\\n')
            for number in range(1, \(last) + 1):
                text = str(number).encode()
                client.write(b"PUB \(subject) %d\\r\\n%s\\r\\n" % (len(text), text))
            client.write(b"PING\\r\\n")
            client.flush()
            while client.readline() != b"PONG\\r\\n":
                pass
            """
        let outcome = try Shell.run("/usr/bin/env", ["python3", "-c", script])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}

/// Apps that use `nats`. Each emission is a line of the app's output. A line of its input is a call, such as
/// `publish SUBJECT TEXT`; `mute` and `listen` end and begin its subscriptions.
struct NatsWorld {
    static let library = Project.root.appendingPathComponent("build/plugins/nats/nats.so").path
    let server: NatsServer
    let folder: TemporaryFolder
    private let mode: PluginMode

    init(_ mode: PluginMode = .inline, _ server: NatsServer? = nil) throws {
        self.mode = mode
        self.server = try server ?? NatsServer()
        folder = try TemporaryFolder()
    }

    private func listen(_ index: Int, _ subject: String) -> String {
        """
        [loops.main.feedback.listen\(index)]
        effect = "nats:subscribe"
        when   = "!state.muted"
        args   = { subject = "'\(subject)'", queue = "''" }
        \(PluginApp.failure)
        [loops.main.feedback.listen\(index).emits.message]
        event = "said"
        text  = "'\(index) %s %s'.format([value.subject, string(value.data)])"
        [loops.main.feedback.listen\(index).emits.missed]
        event = "said"
        text  = "'missed %d'.format([value.count])"
        """
    }

    /// Consumes what a stream `ORDERS` has for a consumer `work`, and acknowledges each message.
    static let work = """
        [loops.main.feedback.work]
        effect = "nats:consume"
        when   = "!state.muted"
        args   = { stream = "'ORDERS'", consumer = "'work'", batch = 10 }
        \(PluginApp.failure)
        [loops.main.feedback.work.emits.delivered]
        event   = "ordered"
        text    = "'order %d %s'.format([value.sequence, string(value.data)])"
        message = "value.message"
        [loops.main.feedback.work.emits.unavailable]
        event = "said"
        text  = "'unavailable ' + value.reason"
        [loops.main.feedback.done]
        on       = "ordered"
        strategy = "continue-on-new-state"
        effect   = "nats:acknowledge"
        args     = { message = "event.message" }
        \(PluginApp.failure)
        [loops.main.feedback.order]
        effect   = "std:print"
        on       = "ordered"
        strategy = "continue-on-new-state"
        args     = { text = "event.text" }
        """

    /// A feedback that calls an effect for lines `NAME SUBJECT TEXT`.
    private func send(_ name: String, _ more: String, _ emits: String) -> String {
        """
        [loops.main.feedback.\(name)]
        on       = "read"
        when     = "event.text.startsWith('\(name) ')"
        strategy = "continue-on-new-state"
        effect   = "nats:\(name)"
        \(PluginApp.failure)
        \(emits)
        [loops.main.feedback.\(name).args]
        subject = "event.text.split(' ')[1]"
        data    = "bytes(event.text.split(' ')[2])"
        headers = "[]"
        \(more)
        """
    }

    /// - Parameters:
    ///   - subjects: what it subscribes to.
    ///   - config: settings of the plugin, besides `servers`.
    ///   - more: further feedbacks.
    func manifest(_ subjects: [String], config: String = "", library: String = library, more: String = "")
        -> String
    {
        let isolation = mode.lines(sandbox: "connect = [\"tcp:\(server.port)\"]")
        let own = config.contains("servers =") ? [] : ["servers = ['nats://127.0.0.1:\(server.port)']"]
        let wait =
            config.contains("reconnect_least") ? [] : ["reconnect_least = '10ms', reconnect_most = '100ms'"]
        let settings = (own + wait + (config.isEmpty ? [] : [config])).joined(separator: ", ")
        let feedbacks = subjects.enumerated().map { listen($0.offset, $0.element) }
        return """
            app.name = "client"
            app.sandbox = "best-effort"
            [plugins.nats]
            library = "\(library)"
            config = { \(settings) }
            \(isolation)
            [loops.main]
            state  = { muted = false, count = 0 }
            [loops.main.events]
            said    = { text = "string" }
            read    = { text = "string" }
            ordered = { text = "string", message = "string" }
            [loops.main.on]
            said    = { set = { count = "state.count + 1" } }
            ordered = { set = { count = "state.count + 1" } }
            read    = { set = { muted = "event.text == 'mute' || (state.muted && event.text != 'listen')" } }
            [loops.main.feedback.print]
            effect   = "std:print"
            on       = "said"
            strategy = "continue-on-new-state"
            args     = { text = "event.text" }
            \(PluginApp.input("read"))
            [loops.main.feedback.connection]
            effect             = "nats:connection"
            emits.connected    = { event = "said", text = "'online'" }
            emits.disconnected = { event = "said", text = "'no: ' + value.reason" }
            \(send("publish", "", ""))
            \(send("request", "", "emits.answered = { event = \"said\", text = \"'answer ' + string(value.data)\" }"))
            \(send(
                "store", "id = \"event.text.split(' ')[3]\"",
                "emits.stored = { event = \"said\", "
                    + "text = \"'stored %d %s'.format([value.sequence, string(value.duplicate)])\" }"))
            \(feedbacks.joined(separator: "\n"))
            \(more)
            """
    }

    /// Starts an app that subscribes to subjects.
    func start(_ subjects: String..., config: String = "", more: String = "") throws -> RunningProgram {
        try folder.start(manifest(subjects, config: config, more: more))
    }

    /// Makes the stream and the consumer of `work`.
    func makeOrders(_ app: RunningProgram) throws {
        try app.write(#"request $JS.API.STREAM.CREATE.ORDERS {"name":"ORDERS","subjects":["orders.*"]}"#)
        #expect(app.nextLine(with: "answer").contains("\"created\""))
        try app.write(
            #"request $JS.API.CONSUMER.DURABLE.CREATE.ORDERS.work {"stream_name":"ORDERS","config":"#
                + #"{"durable_name":"work","ack_policy":"explicit","ack_wait":60000000000}}"#)
        #expect(app.nextLine(with: "answer").contains("\"durable_name\""))
    }
}
