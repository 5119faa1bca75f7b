import Foundation
import Testing

@testable import Inspector

/// The server before the real `spinhost`, which the variable `SPINHOST` names.
@Suite(
    .timeLimit(.minutes(5)), .enabled(if: RunningCommand.host != nil, "SPINHOST does not name a host"))
struct RealHostTests {
    /// An app that runs.
    private final class App {
        let folder: URL
        let host: RunningCommand

        init(_ arguments: [String] = ["run", "--control"]) throws {
            folder = URL(fileURLWithPath: "/tmp/spin-\(UUID().uuidString.prefix(8))")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let manifest = """
                app.name = "door"
                [loops.door]
                state  = { open = false, times = 0 }
                events = { pushed = { by = "string", times = "int" }, shut = {}, tick = {} }
                [loops.door.on]
                pushed = { set = { open = "true", times = "state.times + event.times" } }
                shut   = { set = { open = "false" } }
                [loops.door.feedback.clock]
                effect = "std:every"
                args   = ["duration('10ms')"]
                emits.ticked = { event = "tick" }

                """
            try Data(manifest.utf8).write(to: folder.appendingPathComponent("app.toml"))
            host = try RunningCommand(
                RunningCommand.host!, arguments, in: folder,
                environment: ["XDG_RUNTIME_DIR": folder.path, "NO_COLOR": "1"])
            let line = host.line(ofErrors: true) ?? ""
            guard line.hasPrefix("listening at `") else { throw TestSocket.Failure(call: line) }
        }

        deinit {
            host.send(SIGTERM)
            _ = host.end()
            try? FileManager.default.removeItem(at: folder)
        }

        var socket: String { folder.appendingPathComponent("spinhost/door.sock").path }
    }

    private func server(_ app: App, write: Bool = false) throws -> InspectorServer {
        var options = InspectorOptions(socket: app.socket)
        options.write = write
        return try InspectorServer(options, log: { _ in })
    }

    private func page(_ server: InspectorServer) throws -> WebSocketClient {
        let page = try WebSocketClient(port: server.port)
        let token = server.url.split(separator: "#t=").last!
        page.send(#"{"request":"hello","token":"\#(token)"}"#)
        #expect(page.next()?.hasPrefix(#"{"ok":true,"inspector":"#) == true)
        #expect(page.next()?.hasPrefix(#"{"host":{"state":"up","app":"door","pid":"#) == true)
        return page
    }

    private func get(_ path: String, _ server: InspectorServer) throws -> String {
        let socket = try TestSocket.connected(port: server.port)
        socket.send("GET \(path) HTTP/1.1\r\nHost: localhost:\(server.port)\r\n\r\n")
        return socket.rest()
    }

    @Test func `A page reads, and sends an event if it may`() throws {
        let app = try App()
        let server = try server(app, write: true)
        defer { server.stop() }
        let page = try page(server)
        page.send(#"{"request":"graph"}"#)
        #expect(page.next()?.hasPrefix(#"{"ok":true,"app":"door","#) == true)
        page.send(#"{"request":"watch","steps":true,"filter":"event == 'pushed'"}"#)
        #expect(page.next() == #"{"ok":true}"#)
        page.send(#"{"request":"send","event":"pushed","payload":{"by":"Ada","times":3}}"#)
        let lines = [page.next() ?? "", page.next() ?? ""].sorted()
        #expect(lines[0] == #"{"ok":true,"loop":"door","result":"queued"}"#)
        #expect(
            lines[1].hasPrefix(#"{"step":{"#)
                && lines[1].contains(#""changed":{"open":[false,true],"times":[0,3]}"#))
    }

    @Test func `A page that only reads cannot send an event`() throws {
        let app = try App()
        let server = try server(app)
        defer { server.stop() }
        let page = try page(server)
        page.send(#"{"request":"send","event":"shut"}"#)
        #expect(page.next()?.contains(#""code":"read-only""#) == true)
        page.send(#"{"request":"counters"}"#)
        #expect(page.next()?.hasPrefix(#"{"ok":true,"counters":["#) == true)
    }

    @Test func `The app is alive and ready, and is neither when it has ended`() throws {
        var app: App? = try App()
        let server = try server(app!)
        defer { server.stop() }
        #expect(try get("/live", server).hasPrefix("HTTP/1.1 200 "))
        // The app may take a moment to begin.
        while try !get("/ready", server).hasPrefix("HTTP/1.1 200 ") {}
        app = nil
        for path in ["/live", "/ready", "/metrics"] {
            #expect(try get(path, server).hasPrefix("HTTP/1.1 503 "))
        }
    }

    @Test func `Each request of version 2 that only reads is known to the host`() throws {
        let app = try App()
        let server = try server(app)
        defer { server.stop() }
        let page = try page(server)
        for request in PageRequest.reading.sorted() where request != "watch" {
            page.send(#"{"request":"\#(request)"}"#)
            let answer = try #require(page.next())
            #expect(!answer.contains("unknown-request"), "\(request): \(answer)")
        }
    }

    /// Prometheus' own check of a scrape.
    private static let promtool = ["/usr/bin/promtool", "/usr/local/bin/promtool"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(.enabled(if: promtool != nil, "promtool is missing: install Debian's package `prometheus`"))
    func `promtool finds nothing wrong with the metrics of an app with a journal`() throws {
        let app = try App(["run", "--control", "--journal", "run.journal"])
        let server = try server(app)
        defer { server.stop() }
        // A page that watches makes the host count more.
        let page = try page(server)
        page.send(#"{"request":"watch","steps":true}"#)
        while page.next()?.contains(#""unhandled""#) == false {}
        let text = try get("/metrics", server).body
        for name in [
            "spinhost_steps_total", "spinhost_effect_seconds_bucket", "spinhost_journal_position",
            "process_resident_memory_bytes", "spinhost_events_by_origin_total",
        ] {
            #expect(text.contains("\n\(name)"), "\(name)")
        }
        let check = try RunningCommand(Self.promtool!, ["check", "metrics"]).end(input: text)
        #expect(check.status == 0 && check.errors == "" && check.output == "", "\(check)")
    }
}
