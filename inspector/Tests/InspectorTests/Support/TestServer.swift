import Foundation
import Testing

@testable import Inspector

/// A server of a test, which ends with the last reference.
final class TestServer {
    /// The lines of the log. May be used from any thread.
    final class Log: @unchecked Sendable {
        // Safe because the lock is taken for each use.
        private let lock = NSLock()
        private var lines: [String] = []

        func add(_ line: String) { lock.withLock { lines.append(line) } }

        var all: [String] { lock.withLock { lines } }
    }

    let server: InspectorServer
    private let host: FakeHost
    let log = Log()

    var port: Int { server.port }
    var token: String { String(server.url.split(separator: "#t=").last ?? "") }

    init(
        _ host: FakeHost, write: Bool = false, limits: (inout InspectorLimits) -> Void = { _ in }
    ) throws {
        self.host = host
        var options = InspectorOptions(socket: host.path)
        options.write = write
        var bounds = InspectorLimits()
        limits(&bounds)
        server = try InspectorServer(options, limits: bounds, log: { [log] in log.add($0) })
    }

    deinit { server.stop() }

    /// Sends the text of a request and returns the whole answer.
    func answer(_ request: String) throws -> String {
        let socket = try TestSocket.connected(port: port)
        socket.send(request)
        return socket.rest()
    }

    /// The answer to a `GET`.
    ///
    /// - Parameter headers: lines in place of the `Host` line.
    func get(_ path: String, headers: [String]? = nil) throws -> String {
        let headers = headers ?? ["Host: 127.0.0.1:\(port)"]
        return try answer(
            "GET \(path) HTTP/1.1\r\n" + headers.map { "\($0)\r\n" }.joined() + "\r\n")
    }

    /// The number of the status of a `GET`.
    func status(_ path: String, headers: [String]? = nil) throws -> String {
        String(try get(path, headers: headers).split(separator: " ").dropFirst().first ?? "none")
    }

    /// A page that has shown the token and got the answer.
    func page(buffer: Int32? = nil) throws -> WebSocketClient {
        let page = try WebSocketClient(port: port, buffer: buffer)
        page.send(#"{"request":"hello","token":"\#(token)"}"#)
        let version = InspectorVersion.text
        let write = try #require(page.next())
        #expect(
            write.hasPrefix(#"{"ok":true,"inspector":{"write":"#)
                && write.hasSuffix(#""version":"\#(version)"}}"#))
        return page
    }

    /// A page that has heard that the host is up.
    func livePage(buffer: Int32? = nil) throws -> WebSocketClient {
        let page = try page(buffer: buffer)
        #expect(page.next() == Self.up)
        return page
    }

    /// The line of a fake host.
    static let up =
        #"{"host":{"state":"up","app":"door","pid":1,"since":"2026-11-26T12:00:00Z"}}"#
}

extension String {
    /// The content of an answer, after its head.
    var body: String { components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n") }
}
