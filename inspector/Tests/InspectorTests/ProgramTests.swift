import Foundation
import Testing

@testable import Inspector

/// The program `spinhost-inspector`.
@Suite(.timeLimit(.minutes(5))) struct ProgramTests {
    /// Starts the program and waits for its line.
    private func start(
        _ socket: String, _ arguments: String...
    ) throws -> (program: RunningCommand, port: Int, token: String) {
        let program = try RunningCommand.inspector(["--socket", socket] + arguments)
        let line = try #require(program.line())
        let match = try #require(
            line.wholeMatch(of: /inspector: http:\/\/127\.0\.0\.1:([0-9]+)\/#t=([0-9a-f]{32})/), "\(line)")
        return (program, try #require(Int(match.1)), String(match.2))
    }

    @Test(arguments: [SIGTERM, SIGINT]) func `It prints one line, serves, and ends by a signal`(signal: Int32)
        throws
    {
        let host = try FakeHost.echoing().start()
        let (program, port, token) = try start(host.path)
        let page = try WebSocketClient(port: port)
        page.send(#"{"request":"hello","token":"\#(token)"}"#)
        #expect(page.next() == #"{"ok":true,"inspector":{"write":false,"version":"0.1.0"}}"#)
        #expect(page.next() == TestServer.up)
        program.send(signal)
        #expect(page.next() == "closed 1001")
        #expect(page.next() == nil)
        let end = program.end()
        #expect((end.status, end.output, end.errors) == (0, "", ""))
    }

    @Test func `It ends with its standard input if it shall`() throws {
        let host = try FakeHost.echoing().start()
        let (program, _, _) = try start(host.path, "--with-parent")
        try program.closeInput()
        #expect(program.end().status == 0)
        let (other, port, _) = try start(host.path)
        try other.closeInput()
        let socket = try TestSocket.connected(port: port)
        socket.send("GET /live HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        #expect(socket.rest().hasPrefix("HTTP/1.1 200 "))
    }

    @Test func `A port in use is an error`() throws {
        let host = try FakeHost.echoing().start()
        let server = try TestServer(host)
        let end = try RunningCommand.inspector("--socket", host.path, "--port", "\(server.port)").end()
        #expect(end.status == 69)
        #expect(
            end.errors
                == "inspector: error: cannot listen at 127.0.0.1:\(server.port): the port is in use; choose another one with `--port`\n"
        )
    }

    @Test func `A socket that is none, or another user's, is an error`() throws {
        let folder = URL(fileURLWithPath: "/tmp/spin-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("file").path
        try Data().write(to: URL(fileURLWithPath: file))
        let link = folder.appendingPathComponent("link").path
        let host = try FakeHost.echoing().start()
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: host.path)
        for path in [file, link, folder.path, "/etc/passwd"] {
            let end = try RunningCommand.inspector("--socket", path).end()
            #expect(end.status == 69)
            #expect(end.errors == "inspector: error: `\(path)` is not a socket\n")
        }
        let long = "/tmp/" + String(repeating: "x", count: 103)
        let end = try RunningCommand.inspector("--socket", long).end()
        #expect(end.status == 69)
        #expect(
            end.errors
                == "inspector: error: the path of a socket can have at most 107 bytes, but `\(long)` is longer\n"
        )
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a socket to another user"))
    func `A socket of another user is an error`() throws {
        let host = try FakeHost.echoing().start()
        // Safe because the path is a NUL-terminated copy for the call.
        try #require(unsafe chown(host.path, 65534, 65534) == 0)
        let end = try RunningCommand.inspector("--socket", host.path).end()
        #expect(end.status == 69)
        #expect(end.errors == "inspector: error: the socket `\(host.path)` belongs to user 65534\n")
    }

    @Test func `It waits for a host that is not there yet`() throws {
        let host = try FakeHost.echoing()
        let (program, port, token) = try start(host.path)
        #expect(
            program.line(ofErrors: true)
                == "inspector: no app listens at `\(host.path)` yet; the page shows it as soon as it does")
        let page = try WebSocketClient(port: port)
        page.send(#"{"request":"hello","token":"\#(token)"}"#)
        #expect(page.next()?.hasPrefix(#"{"ok":true"#) == true)
        #expect(page.next()?.contains(#""state":"down""#) == true)
        try host.start()
        #expect(page.next() == TestServer.up)
    }

    @Test func `A wrong command line is an error, and help is text`() throws {
        let end = try RunningCommand.inspector().end()
        #expect(end.status == 64)
        #expect(
            end.errors
                == "inspector: error: `--socket PATH` is missing: name the control socket of the app\n")
        let help = try RunningCommand.inspector("--help").end()
        #expect((help.status, help.output, help.errors) == (0, InspectorOptions.help, ""))
    }
}
