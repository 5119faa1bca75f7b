import Foundation
import TestSupport
import Testing

/// A Redis server in a folder of its own, at a port that is free. It keeps its data when it is started again.
final class RedisServer: ServerProgram {
    init() throws { try super.init("redis-server", in: TemporaryFolder()) }

    override func launch() throws -> RunningProgram {
        let options = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"]
        return try RunningProgram(
            ["redis-server", "--port", "\(port)", "--bind", "127.0.0.1"] + options, in: folder.root,
            program: "/usr/bin/env")
    }

    override func listens(_ program: RunningProgram) -> Bool {
        !program.nextLine(with: "Ready to accept connections").isEmpty
    }

    /// What another client prints for a command.
    @discardableResult
    func callAsFunction(_ words: String...) throws -> String {
        let outcome = try Shell.run("redis-cli", ["-p", "\(port)"] + words)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Apps that use `redis`. What is emitted is a line of the app's output. A line of its input is a command. The app gets
/// the messages of the channel `news` and of those that begin with `w`, and the entries of the stream `jobs`.
struct RedisWorld {
    static let library = Project.root.appendingPathComponent("build/plugins/redis/redis.so").path
    let server: RedisServer
    let folder: TemporaryFolder
    private let mode: PluginMode

    init(_ mode: PluginMode = .inline) throws {
        self.mode = mode
        server = try RedisServer()
        folder = try TemporaryFolder()
    }

    /// - Parameters:
    ///   - config: settings of the plugin, besides `server`.
    ///   - acknowledges: whether the plugin acknowledges entries. Otherwise the app does, when it has printed them.
    ///   - more: further lines of the loop.
    func manifest(
        config: String = "", acknowledges: Bool = false, library: String = library, more: String = ""
    ) -> String {
        let isolation =
            mode.lines(sandbox: "connect = [\"tcp:\(server.port)\"]")
        let own = [
            "server = 'redis://127.0.0.1:\(server.port)', reconnect_least = '10ms', reconnect_most = '100ms'"
        ]
        let settings = (own + (config.isEmpty ? [] : [config])).joined(separator: ", ")
        return """
            app.name = "client"
            app.sandbox = "best-effort"
            [plugins.redis]
            library = "\(library)"
            config = { \(settings) }
            \(isolation)
            [loops.main]
            state  = { count = 0 }
            \(more)
            [loops.main.events]
            said  = { text = "string" }
            typed = { text = "string" }
            came  = { id = "string", text = "string" }
            [loops.main.on]
            said  = { set = { count = "state.count + 1" } }
            typed = {}
            came  = { set = { count = "state.count + 1" } }
            \(PluginApp.print)
            [loops.main.feedback.show]
            effect = "std:print"
            on     = "came"
            args   = { text = "event.id + ' ' + event.text" }
            \(PluginApp.input("typed"))
            [loops.main.feedback.command]
            on       = "typed"
            effect   = "redis:command"
            args     = { words = "event.text.split(' ')" }
            \(PluginApp.failure)
            [loops.main.feedback.command.emits.answered]
            event = "said"
            text  = "value.type == 'list' ? value.items.map(item, item.text).join(' ') : value.type + ' ' + value.text"
            [loops.main.feedback.subscribe]
            effect           = "redis:subscribe"
            args             = { channels = "['news']", patterns = "['w*']" }
            emits.subscribed = { event = "said", text = "'subscribed'" }
            emits.lost       = { event = "said", text = "'lost: ' + value.reason" }
            [loops.main.feedback.subscribe.emits.message]
            event = "said"
            text  = "'%s by %s: %s'.format([value.channel, value.pattern, value.text])"
            [loops.main.feedback.read]
            effect   = "redis:read"
            args     = { stream = "'jobs'", group = "'workers'", consumer = "'me'", acknowledges = \(acknowledges) }
            \(PluginApp.failure)
            [loops.main.feedback.read.emits.entry]
            event = "came"
            id    = "value.id"
            text  = "value.fields.map(field, field.name + '=' + field.text).join(' ')"
            [loops.main.feedback.acknowledge]
            on       = "came"
            when     = "\(!acknowledges)"
            strategy = "continue-on-new-state"
            effect   = "redis:acknowledge"
            args     = { stream = "'jobs'", group = "'workers'", id = "event.id" }
            \(PluginApp.failure)
            """
    }

    /// Starts an app, and waits until it gets messages.
    func start(config: String = "", acknowledges: Bool = false, more: String = "") throws -> RunningProgram {
        let app = try folder.start(manifest(config: config, acknowledges: acknowledges, more: more))
        #expect(app.nextLine(with: "subscribed") == "subscribed")
        return app
    }
}
