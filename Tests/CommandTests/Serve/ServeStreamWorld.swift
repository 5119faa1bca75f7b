import Foundation
import TestSupport

/// An app whose answers come in parts, and clients that read them with curl.
///
/// A GET of `/follow` lasts. A POST to `/push` sends its body to all that follow, `/finish` ends their answers, and
/// `/drop` forgets them. `/load` is a body of many parts, each of them sent when the one before was delivered.
struct ServeStreamWorld {
    let serve: ServeWorld

    init() throws { serve = try ServeWorld() }

    /// - Parameters:
    ///   - config: settings of the plugin, besides `listen`.
    ///   - library: the library of the plugin.
    static func manifest(_ config: String = "", library: String = "spin:serve") -> String {
        """
        app.name = "streams"
        [plugins.web]
        library = "\(library)"
        config = { \((["listen = '127.0.0.1:0'"] + (config.isEmpty ? [] : [config])).joined(separator: ", ")) }
        [loops.main]
        state  = { followers = { type = "[string]" }, loader = "", part = 0 }
        [loops.main.events]
        asked     = { id = "string", path = "string", body = "bytes" }
        left      = { id = "string", reason = "string" }
        delivered = {}
        [loops.main.on.asked.set]
        followers = '''
            event.path == '/follow' || event.path == '/load' ? state.followers + [event.id]
                : event.path == '/drop' ? state.followers.filter(id, false) : state.followers'''
        loader = "event.path == '/load' ? event.id : state.loader"
        part   = "event.path == '/load' ? 1 : state.part"
        [loops.main.on]
        left      = { set = { followers = "state.followers.filter(id, id != event.id)" } }
        delivered = { set = { part = "state.part + 1" } }
        [loops.main.feedback.serve]
        effect = "web:requests"
        emits.request = { event = "asked", id = "value.id", path = "value.path", body = "value.body" }
        [loops.main.feedback.follow]
        trigger = { each = "state.followers" }
        effect = "web:stream"
        args = { id = "item", status = 200, headers = ["Content-Type: text/plain"] }
        emits.ended = { event = "left", id = "item", reason = "value.reason" }
        on-error = { event = "left", id = "item", reason = "error.message" }
        [loops.main.feedback.push]
        on = "asked"
        when = "event.path == '/push'"
        effect = "web:push"
        args = { ids = "state.followers", part = "event.body" }
        [loops.main.feedback.finish]
        on = "asked"
        when = "event.path == '/finish'"
        effect = "web:finish"
        args = { ids = "state.followers" }
        [loops.main.feedback.answer]
        on = "asked"
        when = "event.path != '/follow' && event.path != '/load'"
        effect = "web:respond"
        args = { id = "event.id", status = 200, headers = [], body = "b'done'" }
        [loops.main.feedback.load]
        when = "state.part > 0 && state.part <= 300"
        effect = "web:deliver"
        emits.delivered = { event = "delivered" }
        [loops.main.feedback.load.args]
        id   = "state.loader"
        part = "bytes(string(10000 + state.part).split('').map(c, c + '\(dashes)').join(''))"
        [loops.main.feedback.whole]
        when = "state.part == 301"
        effect = "web:finish"
        args = { ids = "[state.loader]" }
        [loops.main.feedback.begun]
        on = "asked"
        when = "event.path == '/follow'"
        effect = "std:print"
        args = { text = "'follows'" }
        [loops.main.feedback.tell]
        on = "left"
        effect = "std:print"
        args = { text = "event.reason" }
        """
    }

    private static let dashes = String(repeating: "-", count: 2000)

    /// What `/load` sends.
    static var load: String {
        (1...300).map { part in
            String(10_000 + part).map { "\($0)\(dashes)" }.joined()
        }.joined()
    }

    /// An app that streams, and its address.
    func start(_ config: String = "") throws -> (app: RunningProgram, address: String) {
        try serve.folder.write("app.toml", Self.manifest(config))
        let app = try RunningProgram(["run"], in: serve.folder.root)
        return (app, try serve.address(of: app))
    }

    /// A client that follows, as the app has said.
    func follower(_ app: RunningProgram, _ address: String, _ flags: String...) throws -> RunningProgram {
        let client = try RunningProgram(
            ["--silent", "--no-buffer", "--noproxy", "*"] + flags + ["\(address)/follow"],
            program: "/usr/bin/curl")
        guard app.nextLine() == "follows" else { throw CocoaError(.fileReadUnknown) }
        return client
    }
}
