import Foundation
import TestSupport
import Testing

/// Requests and answers of `spin:serve`, with curl on the other side.
@Suite(.timeLimit(.minutes(10))) struct ServeTests {
    @Test func `a request is an event, and its answer goes to its client`() throws {
        let world = try ServeWorld()
        let (app, address) = try world.start()
        let answer = try world.curl(
            "-X", "PUT", "-H", "X-Test: höflich ", "--data-binary", "grüß",
            "\(address)/a%20b/c?x=1&y=%C3%BC&x=2&z")
        #expect(answer == "PUT /a b/c [x=1 y=ü x=2 z=] höflichgrüß")
        let whole = try world.curl("-i", "\(address)/teapot")
        #expect(whole.hasPrefix("HTTP/1.1 418 "))
        #expect(whole.contains("\nContent-Type: text/plain\nX-Answer: yes\n"), "\(whole)")
        #expect(whole.hasSuffix("\n\nGET /teapot [] "))
        // The body of HEAD is missing, and its length is there.
        #expect(try world.curl("-I", "\(address)/").contains("\nContent-Length: 10\n"))
        app.endInOrder()
    }

    @Test func `bytes that are not UTF-8 are replaced, and never end the app`() throws {
        let world = try ServeWorld()
        let (app, address) = try world.start()
        #expect(try world.curl("\(address)/%FF?%FE=%00a") == "GET /\u{FFFD} [\u{FFFD}=%00a] ")
        #expect(try world.status("--data-binary", "@/bin/true", "\(address)/") == "500")
        #expect(try world.status("\(address)/") == "200")
        app.endInOrder()
    }

    @Test func `a body that is too large is refused, with and without its length`() throws {
        let world = try ServeWorld()
        try world.folder.write("body", String(repeating: "a", count: 1001))
        let (app, address) = try world.start("largest_body = 1000")
        let body = "@\(world.folder.url("body").path)"
        #expect(try world.status("--data-binary", body, "\(address)/") == "413")
        #expect(
            try world.status("-H", "Transfer-Encoding: chunked", "--data-binary", body, "\(address)/")
                == "413")
        #expect(try world.status("--data-binary", "a", "\(address)/") == "200")
        app.endInOrder()
    }

    @Test func `a request without an answer, and one too many, are told to come again`() throws {
        let world = try ServeWorld()
        let (app, address) = try world.start("most_waiting = 1, answer_timeout = '24h'")
        let first = try world.client("\(address)/wait")
        #expect(app.nextLine() == "/wait")
        let whole = try world.curl("-i", "\(address)/more")
        #expect(whole.hasPrefix("HTTP/1.1 503 ") && whole.hasSuffix("\n\nthe server is busy\n"), "\(whole)")
        #expect(whole.contains("\nRetry-After: 1\n"))
        // The end of the app answers those that wait.
        app.endInOrder()
        #expect(first.nextLine() == "the server ends")
        #expect(first.end().status == 0)

        let (other, there) = try world.start("answer_timeout = '10ms'")
        #expect(try world.curl("\(there)/wait") == "there is no answer\n")
        other.endInOrder()
    }

    @Test func `what cannot be an answer is a failure of its call`() throws {
        let world = try ServeWorld()
        let (app, address) = try world.start("answer_timeout = '10ms'")
        for (path, reason) in [
            ("low", "-5 the status must be 200 to 599"),
            ("break", "-5 the header `X-A` has a line break or another control character"),
            ("long", "-5 the headers are too long"),
            ("length", "-5 the plugin sets the header `Content-Length` itself"),
            (
                "again",
                "-1 no such request waits: it was answered, has waited too long, or came to another instance"
            ),
        ] {
            let body = String(repeating: "a", count: path == "long" ? 9000 : 0)
            #expect(try world.status("--data", body, "\(address)/\(path)") == "503")
            #expect(app.nextLine() == reason)
        }
        app.endInOrder()
    }

    @Test(arguments: [
        ("listen = '8080'", "setting `listen`: it is no `ADDRESS:PORT`, such as `127.0.0.1:8080`"),
        ("listen = 'localhost:80'", "setting `listen`: it is no `ADDRESS:PORT`"),
        ("listen = '127.0.0.1:65536'", "setting `listen`: it is no `ADDRESS:PORT`"),
        ("listen = '192.0.2.1:0'", "cannot listen at `192.0.2.1:0`: Cannot assign requested address"),
        ("files = 'missing'", "setting `files`: cannot open the folder `missing`: No such file or directory"),
    ])
    func `a server that cannot begin ends the app before it begins`(_ config: String, _ reason: String) throws
    {
        let world = try ServeWorld()
        try world.folder.write("app.toml", world.manifest(config))
        let end = try RunningProgram(["run"], in: world.folder.root).end()
        #expect(end.status == 69)
        #expect(end.errors.contains(reason), "\(end.errors)")
    }

    @Test func `a port that is taken is named`() throws {
        let world = try ServeWorld()
        let (app, address) = try world.start()
        let place = address.replacing("http://", with: "")
        try world.folder.write("app.toml", world.manifest("listen = '\(place)'"))
        let end = try RunningProgram(["run"], in: world.folder.root).end()
        #expect(end.status == 69)
        #expect(end.errors.contains("cannot listen at `\(place)`: Address already in use"), "\(end.errors)")
        app.endInOrder()
    }

    @Test(arguments: ["*:0", "[::1]:0"])
    func `it listens at other addresses, too`(_ listen: String) throws {
        let world = try ServeWorld()
        let (app, address) = try world.start("listen = '\(listen)'")
        let port = try #require(address.split(separator: ":").last)
        #expect(try world.curl("http://[::1]:\(port)/") == "GET / [] ")
        #expect(try world.curl("http://[::1]:\(port)/client") == "::1")
        if listen.hasPrefix("*") { #expect(try world.curl("http://127.0.0.1:\(port)/client") == "127.0.0.1") }
        app.endInOrder()
    }

    @Test func `requests wait for room in a small mailbox, and each is answered`() throws {
        let world = try ServeWorld()
        let (app, address) = try world.start(more: "mailbox = { capacity = 1 }")
        let clients = try (1...20).map { try world.client("\(address)/\($0)", "\(address)/more/\($0)") }
        for (index, client) in clients.enumerated() {
            #expect(client.nextLine() == "GET /\(index + 1) [] GET /more/\(index + 1) [] ")
            #expect(client.end().status == 0)
        }
        app.endInOrder()
    }
}
