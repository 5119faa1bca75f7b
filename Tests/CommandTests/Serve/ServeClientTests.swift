import Foundation
import TestSupport
import Testing

/// Clients of `spin:serve` that are slow, unclear or unusual.
@Suite(.timeLimit(.minutes(10))) struct ServeClientTests {
    /// The head of a request with a method, a path and further lines; `raw` decodes the line ends.
    private static func head(_ start: String, _ lines: String...) -> String {
        ([start + " HTTP/1.1", "Host: a"] + lines).map { "\($0)\\r\\n" }.joined() + "\\r\\n"
    }

    /// In each of them, somebody who reads in another way would find a second request in the body, or would not find its
    /// end.
    @Test(arguments: [
        head("POST /", "Content-Length: 0", "Content-Length: 35") + head("GET /b"),
        head("POST /", "Content-Length: 6", "Transfer-Encoding: chunked") + "0\\r\\n\\r\\n" + head("GET /b"),
        head("POST /", "Content-Length : 5") + "hello",
        head("POST /", "Transfer-Encoding: gzip, chunked") + "0\\r\\n\\r\\n",
        head("\\xff\\xfe /"),
    ])
    func `a request that is not clear is refused, and its connection ends`(_ bytes: String) throws {
        let world = try ServeWorld()
        let (app, address) = try world.start()
        #expect(try world.raw(address, bytes) == "400 closed\n")
        app.endInOrder()
    }

    @Test func `a head that is too large is refused`() throws {
        let world = try ServeWorld()
        let (app, address) = try world.start()
        for (size, status) in [(20_000, "200"), (40_000, "431"), (120_000, "431")] {
            let field = "X-Test: \(String(repeating: "a", count: size))"
            #expect(try world.status("-H", field, "\(address)/") == status)
        }
        app.endInOrder()
    }

    @Test(arguments: [
        "GET / HTTP/1.1\\r\\nX-Test: ", head("GET /") + "GET ", head("POST /", "Content-Length: 100000"),
    ])
    func `a client that does not end its request loses its connection`(_ bytes: String) throws {
        let world = try ServeWorld()
        let (app, address) = try world.start("idle_timeout = '3s'")
        #expect(try world.raw(address, bytes + "{slow}") == "closed\n")
        #expect(try world.status("\(address)/") == "200")
        app.endInOrder()
    }

    @Test func `requests in a row on one connection are answered in order`() throws {
        let world = try ServeWorld()
        let (app, address) = try world.start()
        let bytes =
            Self.head("GET /teapot") + Self.head("GET http://a/b") + Self.head("GET /c", "Connection: close")
        #expect(try world.raw(address, bytes) == "418 200 200 closed\n")
        #expect(try world.curl("--request-target", "http://a/b?c=d", address) == "GET /b [c=d] ")
        app.endInOrder()
    }

    @Test func `a client that sends all of its body first hears that it is too large`() throws {
        let world = try ServeWorld()
        let (app, address) = try world.start()
        let script = """
            import http.client, sys
            client = http.client.HTTPConnection(sys.argv[1].removeprefix("http://"))
            client.request("POST", "/", b"a" * 9000000)
            print(client.getresponse().status)
            """
        #expect(try Shell.run("/usr/bin/env", ["python3", "-c", script, address]).output == "413\n")
        app.endInOrder()
    }
}
