import Foundation
import TestSupport
import Testing

/// `examples/paging`: pages over HTTP from a server that the test starts, with the faults that servers have.
@Suite(.timeLimit(.minutes(10))) struct PagingTests {
    /// A server, and the example that asks it for pages.
    private struct Reader {
        let server: RunningProgram
        let app: RunningProgram

        init() throws {
            server = try RunningProgram(fixture: "http/pages.py")
            let port = server.nextLine().split(separator: " ").last ?? ""
            app = try RunningProgram([
                "--manifest", Spinhost.example("paging"), "--set", "server=http://127.0.0.1:\(port)",
            ])
            #expect(server.nextLine() == "asked /pages/1")
            #expect(app.nextLine() == "1: page number 1")
        }

        /// Ends both; answers how the app ended.
        func end() throws -> (status: Int32, errors: String) {
            try app.closeInput()
            let end = app.end()
            try server.closeInput()
            _ = server.end()
            return end
        }
    }

    @Test func aNewerRequestCancelsTheOlderOne() throws {
        let reader = try Reader()
        try reader.app.write("next")
        #expect(reader.server.nextLine() == "asked /pages/2")
        try reader.app.write("next")
        // The server holds page 2 until the client has gone; both are told in the order of the machine's mood.
        #expect(
            Set([reader.server.nextLine(), reader.server.nextLine()]) == ["gone /pages/2", "asked /pages/3"])
        #expect(reader.app.nextLine() == "3: page number 3")
        let end = try reader.end()
        #expect(end.status == 0)
        #expect(end.errors.hasPrefix("done: 5 steps, 5 events, 0 drops, 0 faults"), "\(end.errors)")
    }

    @Test func aSlowPageIsShownWhenItComes() throws {
        let reader = try Reader()
        try reader.app.write("next")
        #expect(reader.server.nextLine() == "asked /pages/2")
        try reader.server.write("release")
        #expect(reader.app.nextLine() == "2: slow but there")
        #expect(try reader.end().status == 0)
    }

    @Test(arguments: [
        (4, "4 cannot be shown: the server answered 500"),
        (5, "5 cannot be shown: transfer closed with 993 bytes remaining to read"),
        (6, "6 cannot be shown: Empty reply from server"),
        (7, "7 cannot be shown: the answer is not UTF-8"),
    ])
    func invalidAnswer_isReported_andTheNextPageIsShown(_ page: Int, _ line: String) throws {
        let reader = try Reader()
        try reader.app.write("\(page)")
        #expect(reader.app.nextLine() == line)
        try reader.app.write("9")
        #expect(reader.app.nextLine() == "9: page number 9")
        #expect(try reader.end().status == 0)
    }

    @Test func aPageOfAMillionLettersIsWhole() throws {
        let reader = try Reader()
        try reader.app.write("8")
        #expect(reader.app.nextLine() == "8: " + String(repeating: "x", count: 1_000_000))
        #expect(try reader.end().status == 0)
    }

    /// The call is cancelled wherever it waits, and its thread has ended before the process does.
    @Test func theEndOfTheAppCancelsARequest() throws {
        let reader = try Reader()
        try reader.app.write("next")
        #expect(reader.server.nextLine() == "asked /pages/2")
        kill(reader.app.identifier, SIGTERM)
        #expect(reader.app.end().status == 0)
        #expect(reader.server.nextLine() == "gone /pages/2")
        try reader.server.closeInput()
        #expect(reader.server.end().status == 0)
    }

    @Test func missingServer_isReported() throws {
        let app = try RunningProgram([
            "--manifest", Spinhost.example("paging"), "--set", "server=http://127.0.0.1:1",
        ])
        #expect(app.nextLine().hasPrefix("1 cannot be shown: Failed to connect to 127.0.0.1 port 1"))
        try app.closeInput()
        #expect(app.end().status == 0)
    }
}
