import Foundation
import TestSupport
import Testing

/// A mosquitto in a folder of its own, at a port that is free.
final class MqttBroker: ServerProgram {
    private let lines: String

    /// - Parameters:
    ///   - lines: further lines of its configuration, in place of `allow_anonymous true`.
    ///   - folder: what relative names in these lines begin in.
    init(_ lines: String = "allow_anonymous true", folder: TemporaryFolder? = nil) throws {
        self.lines = lines
        try super.init("mosquitto", in: folder ?? TemporaryFolder())
    }

    override func launch() throws -> RunningProgram {
        // Otherwise it could not read the files of a test that runs as root.
        let user = getuid() == 0 ? "user root" : ""
        try folder.write(
            "mosquitto.conf",
            """
            \(user)
            listener \(port) 127.0.0.1
            persistence false
            log_dest stderr
            max_queued_messages 0
            \(lines)

            """)
        return try RunningProgram(
            ["-c", folder.url("mosquitto.conf").path], in: folder.root, program: "/usr/sbin/mosquitto")
    }

    override func listens(_ program: RunningProgram) -> Bool { program.waitForErrors(" running\n") }

    /// Publishes by another client, each line of the input as a message.
    func publish(_ topic: String, _ input: String, qos: Int = 1, _ more: String...) throws {
        let arguments = ["-h", "127.0.0.1", "-p", "\(port)", "-t", topic, "-q", "\(qos)"] + more
        let outcome = try Shell.run("mosquitto_pub", arguments + ["-l"], input: input)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    /// The next messages that another client gets, each with its topic.
    func messages(_ topic: String, _ count: Int = 1) throws -> [String] {
        let arguments = ["-h", "127.0.0.1", "-p", "\(port)", "-t", topic, "-q", "2", "-v", "-C", "\(count)"]
        let outcome = try Shell.run("mosquitto_sub", arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.split(separator: "\n").map(String.init)
    }
}

/// Apps that use `mqtt`. What is emitted is a line of the app's output. A line of its input is a message that it
/// publishes, `TOPIC QOS TEXT`, whose topic the broker retains; `mute` and `listen` end and begin its subscriptions.
struct MqttWorld {
    static let library = Project.root.appendingPathComponent("build/plugins/mqtt/mqtt.so").path
    let broker: MqttBroker
    let folder: TemporaryFolder
    private let mode: PluginMode

    init(_ mode: PluginMode = .inline, _ broker: MqttBroker? = nil) throws {
        self.mode = mode
        self.broker = try broker ?? MqttBroker()
        folder = try TemporaryFolder()
    }

    /// - Parameters:
    ///   - topics: what it subscribes to, each with its QoS.
    ///   - config: settings of the plugin, besides `broker`.
    ///   - more: further lines of the loop.
    func manifest(
        _ topics: [(String, Int)], config: String = "", library: String = library, more: String = ""
    ) -> String {
        let isolation = mode.lines(sandbox: "connect = [\"tcp:\(broker.port)\"]")
        let own = config.contains("broker =") ? [] : ["broker = 'mqtt://127.0.0.1:\(broker.port)'"]
        let wait =
            config.contains("reconnect_least") ? [] : ["reconnect_least = '10ms', reconnect_most = '100ms'"]
        let settings = (own + wait + (config.isEmpty ? [] : [config])).joined(separator: ", ")
        let feedbacks = topics.enumerated().map { index, topic in
            """
            [loops.main.feedback.listen\(index)]
            effect   = "mqtt:subscribe"
            when     = "!state.muted"
            args     = { topic = "'\(topic.0)'", qos = \(topic.1) }
            \(PluginApp.failure)
            [loops.main.feedback.listen\(index).emits.message]
            event = "said"
            text  = "'\(index) %s %s %d'.format([value.topic, string(value.payload), value.qos])"
            """
        }
        return """
            app.name = "client"
            app.sandbox = "best-effort"
            [plugins.mqtt]
            library = "\(library)"
            config = { \(settings) }
            \(isolation)
            [loops.main]
            state  = { muted = false, count = 0 }
            events = { said = { text = "string" }, read = { text = "string" } }
            \(more)
            [loops.main.on]
            said = { set = { count = "state.count + 1" } }
            read = { set = { muted = "event.text == 'mute' || (state.muted && event.text != 'listen')" } }
            \(PluginApp.print)
            \(PluginApp.input("read"))
            [loops.main.feedback.connection]
            effect             = "mqtt:connection"
            emits.connected    = { event = "said", text = "value.resumed ? 'online again' : 'online'" }
            emits.disconnected = { event = "said", text = "'no: ' + value.reason" }
            [loops.main.feedback.publish]
            on       = "read"
            when     = "event.text.contains(' ')"
            effect   = "mqtt:publish"
            \(PluginApp.failure)
            [loops.main.feedback.publish.args]
            topic    = "event.text.split(' ')[0]"
            payload  = "bytes(event.text.split(' ')[2])"
            qos      = "int(event.text.split(' ')[1])"
            retained = true
            \(feedbacks.joined(separator: "\n"))
            """
    }

    /// Starts an app that subscribes to topics.
    func start(_ topics: (String, Int)..., config: String = "", more: String = "") throws -> RunningProgram {
        try folder.start(manifest(topics, config: config, more: more))
    }
}
