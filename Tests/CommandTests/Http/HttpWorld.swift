import Foundation
import TestSupport
import Testing

/// The server of the tests, and apps that ask it through `spin:http`. Each emission is a line of the app's output.
struct HttpWorld {
    let server: RunningProgram
    let ports: [Int]
    let folder: TemporaryFolder
    private let mode: PluginMode

    init(_ mode: PluginMode = .inline) throws {
        self.mode = mode
        folder = try TemporaryFolder()
        server = try RunningProgram(fixture: "http/server.py")
        ports = server.nextLine().split(separator: " ").compactMap { Int($0) }
        try #require(ports.count == 2)
    }

    /// The address of the first server, without a path.
    var address: String { "http://127.0.0.1:\(ports[0])" }

    /// An app that makes calls of one effect, one after the other.
    ///
    private static func emissions(of effect: String) -> String {
        switch effect {
        case "lines":
            """
            line  = { event = "said", text = "value.text" }
            ended = { event = "over", text = "'%d lines'.format([value.lines])" }
            """
        case "events":
            #"message = { event = "said", text = "'%s %s #%s'.format([value.name, value.data, value.id])" }"#
        case "request":
            """
            answered.event = "over"
            answered.text  = "'%d %d %s'.format([value.status, size(value.body), value.headers.exists(h, h.name == 'x-answer' && h.value == 'yes') ? string(value.body) : ''])"
            """
        default: #"received = { event = "over", text = "'%d %s'.format([value.status, value.body.trim()])" }"#
        }
    }

    /// - Parameters:
    ///   - calls: the arguments of each call, as expressions. A text that begins with `/` is a path of the server.
    ///   - config: settings of the plugin.
    ///   - more: further lines of the loop.
    func manifest(_ effect: String, _ calls: [[String]], config: String = "", more: String = "") -> String {
        let isolation = mode.lines(sandbox: "connect = [\"tcp:\(ports[0])\", \"tcp:\(ports[1])\"]")
        let feedbacks = calls.enumerated().map { index, arguments in
            """
            [loops.main.feedback.call\(index)]
            effect   = "web:\(effect)"
            when     = "state.calls == \(index)"
            args     = [\(arguments.map { "\"\($0.replacing("'/", with: "'\(address)/"))\"" }.joined(separator: ", "))]
            on-error = { event = "over", text = "'%d %s'.format([error.code, error.message])" }
            [loops.main.feedback.call\(index).emits]
            \(Self.emissions(of: effect))
            """
        }
        return """
            app.name = "asker"
            app.sandbox = "best-effort"
            [plugins.web]
            library = "spin:http"
            config = { \(config) }
            \(isolation)
            [loops.main]
            state  = { calls = 0, again = false }
            events = { said = { text = "string" }, over = { text = "string" }, again = {} }
            until  = "state.calls == \(calls.count)"
            \(more)
            [loops.main.on]
            said  = {}
            over  = { set = { calls = "state.calls + 1" } }
            again = { set = { again = true } }
            [loops.main.feedback.print]
            effect = "std:print"
            on     = ["said", "over"]
            args   = ["event.text"]
            \(feedbacks.joined(separator: "\n"))
            """
    }

    /// Starts an app that makes one call.
    func start(
        _ effect: String, _ arguments: String..., config: String = "", more: String = "",
        environment: [String: String] = [:]
    ) throws -> RunningProgram {
        return try folder.start(
            manifest(effect, [arguments], config: config, more: more),
            environment: ["no_proxy": "127.0.0.1"].merging(environment) { $1 })
    }

    /// The lines of an app that makes these calls, without the address of the server.
    func answers(
        _ effect: String, _ calls: [[String]], config: String = "", environment: [String: String] = [:]
    ) throws -> [String] {
        let output = try folder.run(
            manifest(effect, calls, config: config),
            environment: ["no_proxy": "127.0.0.1"].merging(environment) { $1 })
        return output.replacing(address, with: "").split(separator: "\n").map(String.init)
    }
}
