import Foundation
import TestSupport
import Testing

/// A call of an effect, with its arguments as expressions.
struct SqliteCall {
    let effect: String
    let arguments: [String]

    static func query(_ sql: String, _ values: String = "") -> Self { statement("query", sql, values) }
    static func execute(_ sql: String, _ values: String = "") -> Self { statement("execute", sql, values) }

    /// The statements have no parameters.
    static func transaction(_ statements: String...) -> Self {
        let list = statements.map { "{'sql': \(quoted($0)), 'parameters': []}" }.joined(separator: ", ")
        return Self(effect: "transaction", arguments: ["[\(list)]"])
    }

    private static func statement(_ effect: String, _ sql: String, _ values: String) -> Self {
        Self(effect: effect, arguments: [quoted(sql), "[\(values)]"])
    }

    private static func quoted(_ sql: String) -> String {
        "'\(sql.replacing("'", with: "\\'"))'"
    }
}

/// A folder with a database, and apps that use it through `spin:sqlite`. What a call emits is a line of the app's
/// output.
struct SqliteWorld {
    let folder: TemporaryFolder
    private let mode: PluginMode

    init(_ mode: PluginMode = .inline) throws {
        self.mode = mode
        folder = try TemporaryFolder()
    }

    var database: URL { folder.url("test.db") }

    /// An app that makes calls, one after the other.
    ///
    /// - Parameters:
    ///   - config: settings of the plugin, besides `file`.
    ///   - gate: the call that waits for a line of the input.
    ///   - more: further lines of the loop.
    func manifest(_ calls: [SqliteCall], config: String = "", gate: Int? = nil, more: String = "") -> String {
        let isolation = mode.lines(
            sandbox: #"read = ["\#(folder.root.path)"], write = ["\#(folder.root.path)"]"#)
        let feedbacks = calls.enumerated().map { index, call in
            """
            [loops.main.feedback.call\(index)]
            effect   = "db:\(call.effect)"
            when     = "state.calls == \(index)\(gate == index ? " && state.again" : "")"
            args     = [\(call.arguments.map { "''' \($0) '''" }.joined(separator: ", "))]
            on-error = { event = "over", text = "'%d %s'.format([error.code, error.message])" }
            [loops.main.feedback.call\(index).emits]
            executed  = { event = "over", text = "'%d changes, id %d'.format([value.changes, value.last_id])" }
            committed = { event = "over", text = "'%d changes'.format([value.changes])" }
            [loops.main.feedback.call\(index).emits.rows]
            event = "over"
            text  = '''
                '%s: %s'.format([value.columns.join(','), value.rows.map(r, r.values.map(v,
                    v.type == 'blob' || size(v.blob) > 0 ? '%s[%d]%s'.format([v.type, size(v.blob), v.text])
                    : v.type == 'null' ? 'NULL' : v.type == 'text' ? '"' + v.text + '"' : v.text).join(' ')).join('; ')])'''
            """
        }
        let file = config.contains("file =") ? [] : ["file = '\(database.path)'"]
        let settings = (file + (config.isEmpty ? [] : [config])).joined(separator: ", ")
        return """
            app.name = "keeper"
            app.sandbox = "best-effort"
            [plugins.db]
            library = "spin:sqlite"
            config = { \(settings) }
            \(isolation)
            [loops.main]
            state  = { calls = 0, again = false }
            events = { over = { text = "string" }, again = {}, changed = {} }
            until  = "state.calls == \(calls.count)"
            \(more)
            feedback.print = { effect = "std:print", on = "over", args = ["event.text"] }
            feedback.tell  = { effect = "std:print", on = "changed", args = ["'changed'"] }
            feedback.read  = { effect = "std:lines", args = ["'-'"], emits.line = { event = "again" }, emits.ended = [] }
            [loops.main.on]
            over  = { set = { calls = "state.calls + 1" } }
            again = { set = { again = true } }
            changed = {}
            \(feedbacks.joined(separator: "\n"))
            """
    }

    /// Starts an app that makes these calls.
    func start(_ calls: SqliteCall..., config: String = "", gate: Int? = nil, more: String = "") throws
        -> RunningProgram
    {
        return try folder.start(manifest(calls, config: config, gate: gate, more: more))
    }

    /// The lines of an app that makes these calls.
    func lines(_ calls: [SqliteCall], config: String = "", environment: [String: String] = [:]) throws
        -> [String]
    {
        try folder.run(manifest(calls, config: config), environment: environment)
            .split(separator: "\n").map(String.init)
    }

    /// Another process with the database open, which runs these statements and answers `ready`.
    func other(_ statements: String) throws -> RunningProgram {
        let other = try RunningProgram(["-batch", database.path], program: "/usr/bin/sqlite3")
        try other.write("\(statements); SELECT 'ready';")
        #expect(other.nextLine(with: "ready") == "ready")
        return other
    }
}
