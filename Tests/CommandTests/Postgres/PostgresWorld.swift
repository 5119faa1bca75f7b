import Foundation
import TestSupport
import Testing

/// A server, and apps that use it through `postgres`. What a call emits is a line of the app's output. A line of the
/// input is a statement: `? SQL` is a query, `! SQL` is executed, and `stop` cancels what runs.
struct PostgresWorld {
    static let library = Project.root.appendingPathComponent("build/plugins/postgres/postgres.so").path
    let server: PostgresServer
    let folder: TemporaryFolder
    private let mode: PluginMode

    init(_ mode: PluginMode = .inline) throws {
        self.mode = mode
        server = try PostgresServer()
        folder = try TemporaryFolder()
    }

    /// - Parameters:
    ///   - config: settings of the plugin, besides `server`.
    ///   - more: further lines of the loop.
    func manifest(config: String = "", library: String = library, more: String = "") -> String {
        let isolation = mode.lines(sandbox: "connect = [\"tcp:\(server.port)\"]")
        let own = [
            "server = 'postgresql://ada@127.0.0.1:\(server.port)/postgres'",
            "reconnect_least = '10ms', reconnect_most = '100ms'",
        ]
        let settings = (own + (config.isEmpty ? [] : [config])).joined(separator: ", ")
        return """
            app.name = "client"
            app.sandbox = "best-effort"
            [plugins.db]
            library = "\(library)"
            config = { \(settings) }
            \(isolation)
            [loops.main]
            state  = { statement = "" }
            events = { said = { text = "string" }, read = { text = "string" } }
            \(more)
            [loops.main.on]
            said = {}
            read = { set = { statement = "event.text" } }
            \(PluginApp.print)
            \(PluginApp.input("read"))
            [loops.main.feedback.query]
            effect   = "db:query"
            when     = "state.statement.startsWith('? ')"
            args     = ["state.statement.substring(2)", "[]"]
            \(PluginApp.failure)
            [loops.main.feedback.query.emits.rows]
            event = "said"
            text  = "value.columns.join(',') + ': ' + value.rows.map(r, r.values.map(v, v.text).join(' ')).join('; ')"
            [loops.main.feedback.execute]
            effect         = "db:execute"
            when           = "state.statement.startsWith('! ')"
            args           = ["state.statement.substring(2)", "[]"]
            \(PluginApp.failure)
            emits.executed = { event = "said", text = "'%d changes'.format([value.changes])" }
            """
    }

    /// The lines of a loop that listens to a channel.
    static let listening = """
        [loops.main.feedback.listen]
        effect             = "db:listen"
        args               = ["'news'"]
        emits.listening    = { event = "said", text = "'listening'" }
        emits.notification = { event = "said", text = "value.channel + ' ' + value.payload" }
        emits.lost         = { event = "said", text = "'lost'" }
        """

    /// Starts an app. `feedbacks` are further ones.
    func start(config: String = "", feedbacks: String = "") throws -> RunningProgram {
        try folder.start(manifest(config: config) + "\n" + feedbacks)
    }
}
