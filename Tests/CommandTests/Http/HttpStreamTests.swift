import Foundation
import TestSupport
import Testing

/// `lines` and `events` of `spin:http`: answers that come over time.
@Suite(.timeLimit(.minutes(10))) struct HttpStreamTests {
    @Test(arguments: PluginMode.allCases)
    func `lines are emitted as they come`(_ mode: PluginMode) throws {
        let world = try HttpWorld(mode)
        let app = try world.start("lines", "'GET'", "'/lines'", "[]", "b''")
        #expect(app.nextLine() == "one")
        #expect(app.nextLine() == "two")
        try world.server.write("go on")
        #expect(app.nextLine() == "three")
        #expect(app.nextLine() == "bad \u{FFFD}")
        #expect(app.nextLine() == "rest")
        #expect(app.nextLine() == "5 lines")
        #expect(app.end().status == 0)
    }

    @Test(arguments: PluginMode.allCases)
    func `lines wait for room, and none is lost`(_ mode: PluginMode) throws {
        let world = try HttpWorld(mode)
        let app = try world.start(
            "lines", "'GET'", "'/many'", "[]", "b''", more: "mailbox = { capacity = 16, overflow = 'reject' }"
        )
        for number in 0..<2000 { try #require(app.nextLine() == "\(number)") }
        #expect(app.nextLine() == "2000 lines")
        #expect(app.end().status == 0)
    }

    @Test func `lines fail with the reason`() throws {
        let lines = try HttpWorld().answers(
            "lines", ["/nothing", "/long", "/cut"].map { ["'GET'", "'\($0)'", "[]", "b''"] },
            config: "largest_body = 4999")
        #expect(
            lines == [
                "-404 GET /nothing: the server answers 404 Not Found",
                "-63 GET /long: line 1 is longer than 4999 bytes (setting `largest_body`)",
                "-18 GET /cut: transfer closed with 993 bytes remaining to read; the server has closed the connection in the middle of its answer",
            ])
    }

    @Test func `a server that is silent for too long is a failure`() throws {
        let lines = try HttpWorld().answers(
            "lines", [["'GET'", "'/quiet'", "[]", "b''"]], config: "idle_timeout = '50ms'")
        #expect(
            lines == ["one", "-28 GET /quiet: nothing has come for 0.05 s (setting `idle_timeout`)"])
    }

    @Test(arguments: PluginMode.allCases)
    func `events come again after the connection was lost, behind the last one`(_ mode: PluginMode) throws {
        let world = try HttpWorld(mode)
        let app = try world.start("events", "'/events'", "[]")
        #expect(app.nextLine() == "message a")
        #expect(app.nextLine() == "b #1")
        #expect(app.nextLine() == "x ü #2")
        // The event that was not whole is gone, and its id with it.
        #expect(app.nextLine() == "message third #2")
        try world.server.write("go on")
        #expect(app.nextLine() == "message fourth #4")
        app.endInOrder()
        #expect(world.server.nextLine(with: "gone") == "gone /events")
    }

    @Test func `events fail when another connection would not help`() throws {
        let lines = try HttpWorld().answers(
            "events", ["/html", "/over", "/nothing"].map { ["'\($0)'", "[]"] })
        #expect(
            lines == [
                "-8 GET /html: the type of the answer is not `text/event-stream`",
                "-204 GET /over: the server answers 204 No Content: it has no more events",
                "-404 GET /nothing: the server answers 404 Not Found",
            ])
    }

    @Test func `events are not lost with a server that is not there yet`() throws {
        let world = try HttpWorld()
        let app = try world.start("events", "'http://127.0.0.1:1/'", "[]")
        #expect(
            app.nextErrorLine()
                == "warning: plugin `http`: a stream of events is lost url=http://127.0.0.1:1/ reason=\"cannot connect: Connection refused\" retry_seconds=3.0"
        )
        app.endInOrder()
    }
}
