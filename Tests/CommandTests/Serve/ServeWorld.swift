import Foundation
import TestSupport
import Testing

/// An app that serves with `spin:serve`, and clients that ask it with curl.
///
/// Its loop answers with what it was asked. It leaves a path that begins with `/wait` without an answer.
struct ServeWorld {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// - Parameters:
    ///   - config: settings of the plugin, besides `listen`.
    ///   - library: the library of the plugin.
    ///   - plugin: further lines of the plugin.
    ///   - more: further lines of the loop.
    func manifest(
        _ config: String = "", library: String = "spin:serve", plugin: String = "", more: String = ""
    ) -> String {
        let listen = config.contains("listen =") ? [] : ["listen = '127.0.0.1:0'"]
        let settings = (listen + (config.isEmpty ? [] : [config])).joined(separator: ", ")
        return """
            app.name = "server"
            [plugins.web]
            library = "\(library)"
            config = { \(settings) }
            \(plugin)
            [loops.main]
            state  = { asked = 0 }
            events = { asked = { id = "string", path = "string", text = "string" }, failed = { text = "string" } }
            \(more)
            [loops.main.on]
            asked  = { set = { asked = "state.asked + 1" } }
            failed = {}
            [loops.main.feedback.serve]
            effect = "web:requests"
            [loops.main.feedback.serve.emits.request]
            event = "asked"
            id    = "value.id"
            path  = "value.path"
            text  = '''
                value.path == '/client' ? value.client : '%s %s [%s] %s%s'.format([value.method, value.path,
                    value.query.map(q, q.name + '=' + q.value).join(' '),
                    value.headers.filter(h, h.name == 'x-test').map(h, h.value).join(' '), string(value.body)])'''
            [loops.main.feedback.answer]
            on       = "asked"
            when     = "!event.path.startsWith('/wait')"
            effect   = "web:respond"
            args     = [
                "event.path == '/again' ? 'f-1' : event.id", "event.path == '/low' ? 99 : event.path == '/teapot' ? 418 : 200",
                "event.path == '/break' ? ['X-A: b\\\\r\\\\nX-B: c'] : event.path == '/length' ? ['content-length: 5'] : event.path == '/long' ? ['X-A: ' + event.text] : ['Content-Type: text/plain', 'X-Answer: yes']",
                "bytes(event.text)"]
            on-error = { event = "failed", text = "'%d %s'.format([error.code, error.message])" }
            [loops.main.feedback.tell]
            on     = "asked"
            when   = "event.path.startsWith('/wait')"
            effect = "std:print"
            args   = ["event.path"]
            [loops.main.feedback.complain]
            on     = "failed"
            effect = "std:print"
            args   = ["event.text"]
            """
    }

    /// An app that serves, and its address.
    func start(
        _ config: String = "", plugin: String = "", more: String = ""
    ) throws -> (app: RunningProgram, address: String) {
        try folder.write("app.toml", manifest(config, plugin: plugin, more: more))
        let app = try RunningProgram(["run"], in: folder.root)
        return (app, try address(of: app))
    }

    /// Where an app listens, as its log says.
    func address(of app: RunningProgram) throws -> String {
        while let line = app.nextErrorLine() {
            if let place = line.range(of: "listens at ") { return String(line[place.upperBound...]) }
        }
        throw CocoaError(.fileReadUnknown)
    }

    /// What curl prints: the body, or the status and headers too with `-i`.
    func curl(_ arguments: String...) throws -> String {
        let outcome = try Shell.run("/usr/bin/curl", ["--silent", "--noproxy", "*"] + arguments)
        return outcome.output.replacing("\r\n", with: "\n")
    }

    /// The status of an answer.
    func status(_ arguments: String...) throws -> String {
        let flags = ["--silent", "--noproxy", "*", "--output", "/dev/null", "--write-out", "%{http_code}"]
        return try Shell.run("/usr/bin/curl", flags + arguments).output
    }

    /// A client that waits for its answer.
    func client(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram(["--silent", "--noproxy", "*"] + arguments, program: "/usr/bin/curl")
    }

    /// What a server answers to bytes: the status of each answer, and at the end `closed`.
    func raw(_ address: String, _ bytes: String) throws -> String {
        let script = Project.root.appendingPathComponent("Tests/Fixtures/serve/raw.py").path
        return try Shell.run("/usr/bin/env", ["python3", script, address, bytes]).output
    }
}
