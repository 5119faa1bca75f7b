import Foundation
import Testing

@testable import Inspector

/// What the server refuses before a page has begun.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
    private let host: FakeHost
    private let server: TestServer

    init() throws {
        host = try FakeHost.echoing().start()
        server = try TestServer(host)
    }

    @Test func `A request for this server by one of its names is answered`() throws {
        for name in ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"] {
            #expect(try server.status("/", headers: ["Host: \(name):\(server.port)"]) == "200", "\(name)")
        }
    }

    @Test(arguments: [
        "127.0.0.1.evil.com:PORT", "localhost:1", "localhost", "127.0.0.1", "evil.com", "evil.com:PORT",
        "localhost.evil.com:PORT", "127.0.0.2:PORT", "127.1:PORT", "2130706433:PORT", "[::1].evil.com:PORT",
        "::1:PORT", "user@127.0.0.1:PORT", "127.0.0.1:PORT:PORT", "127.0.0.1:0PORT", "127.0.0.1:PORT.", "",
    ])
    func `A request under another name is forbidden on each route`(name: String) throws {
        let value = name.replacingOccurrences(of: "PORT", with: "\(server.port)")
        for path in ["/", "/metrics", "/live", "/ready", "/ws", "/nothing"] {
            let answer = try server.get(path, headers: ["Host: \(value)"])
            #expect(answer.hasPrefix("HTTP/1.1 403 "))
            #expect(answer.body == "the header `Host` does not name this server\n")
        }
    }

    @Test func `A server at all addresses has the one of the connection as a name, and no other`() throws {
        for (address, isAny) in [("0.0.0.0", true), ("::", true), ("127.0.0.7", false)] {
            var options = InspectorOptions(socket: host.path)
            options.address = address
            let server = try InspectorServer(options, log: { _ in })
            defer { server.stop() }
            #expect(server.url.hasPrefix("http://\(isAny ? "127.0.0.1" : address):\(server.port)/#t="))
            let cases = [
                ("127.0.0.7", "200"), ("localhost", "200"), ("127.0.0.8", "403"), ("0.0.0.0", "403"),
                ("host.example", "403"),
            ]
            for (name, status) in cases {
                let socket = try TestSocket.connected(port: server.port, at: 7)
                socket.send("GET / HTTP/1.1\r\nHost: \(name):\(server.port)\r\n\r\n")
                #expect(socket.rest().hasPrefix("HTTP/1.1 \(status) "), "\(address) \(name)")
            }
        }
    }

    @Test func `A request needs exactly one Host`() throws {
        let own = "Host: 127.0.0.1:\(server.port)"
        for headers in [[], [own, own], [own, "Host: evil.com"]] {
            // The parser itself may refuse two headers.
            #expect(["400", "403"].contains(try server.status("/", headers: headers)), "\(headers)")
        }
    }

    @Test func `A page of another site is forbidden`() throws {
        let own = "Host: localhost:\(server.port)"
        #expect(try server.status("/", headers: [own, "Origin: http://localhost:\(server.port)"]) == "200")
        for origin in [
            "http://evil.com", "null", "https://localhost:\(server.port)", "http://localhost",
            "http://127.0.0.1:\(server.port)", "http://localhost:\(server.port).evil.com", "",
        ] {
            let answer = try server.get("/metrics", headers: [own, "Origin: \(origin)"])
            #expect(answer.hasPrefix("HTTP/1.1 403 "), "\(origin)")
            #expect(answer.body == "the header `Origin` names another site\n")
            let page = try WebSocketClient(
                port: server.port, headers: ["Origin: \(origin)"])
            // A WebSocket has the other name of this server as its `Host`.
            let isOwn = origin == "http://127.0.0.1:\(server.port)"
            #expect(page.status.split(separator: " ")[1] == (isOwn ? "101" : "403"), "\(origin)")
        }
    }

    @Test func `Only GET is allowed`() throws {
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"] {
            let answer = try server.answer(
                "\(method) / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 405 "), "\(method)")
            #expect(answer.contains("\r\nAllow: GET\r\n"))
        }
    }

    @Test func `A body is refused`() throws {
        let own = "Host: 127.0.0.1:\(server.port)"
        for header in ["Content-Length: 5", "Transfer-Encoding: chunked"] {
            #expect(try server.status("/", headers: [own, header]) == "413", "\(header)")
        }
    }

    @Test func `A head of 8 KiB is the longest`() throws {
        let own = "Host: 127.0.0.1:\(server.port)"
        let rest = "GET / HTTP/1.1\r\n\(own)\r\nX: \r\n\r\n".utf8.count
        let longest = String(repeating: "x", count: 8192 - rest)
        #expect(try server.status("/", headers: [own, "X: \(longest)"]) == "200")
        #expect(try server.status("/", headers: [own, "X: \(longest)x"]) == "431")
    }

    @Test func `Other bytes than a request are refused`() throws {
        let answer = try server.answer("\u{16}\u{3}\u{1}hello\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        #expect(
            try server.answer("GET / HTTP/1.0\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n").hasPrefix(
                "HTTP/1.1 505 "))
    }

    @Test func `An unknown address is not found, and a path does not leave the page`() throws {
        for path in [
            "/nothing", "/../etc/passwd", "/index.html/", "//index.html", "/%2e%2e/x", "http://evil.com/",
        ] {
            #expect(try server.status(path) == "404", "\(path)")
        }
    }

    @Test func `The address of the WebSocket needs an upgrade`() throws {
        #expect(try server.status("/ws") == "426")
    }

    @Test func `Each answer has what keeps browsers from using it elsewhere`() throws {
        for path in ["/", "/metrics", "/nothing"] {
            let head = try server.get(path)
            for line in [
                "X-Frame-Options: DENY", "Referrer-Policy: no-referrer", "Cache-Control: no-store",
                "X-Content-Type-Options: nosniff", "Cross-Origin-Resource-Policy: same-origin",
                "Connection: close",
            ] {
                #expect(head.contains("\r\n\(line)\r\n"), "\(path) \(line)")
            }
            #expect(head.contains("\r\nContent-Security-Policy: default-src 'none'; "))
        }
    }

    @Test func `The page has a nonce of its own for each request, and the policy names it`() throws {
        let pages = try (0..<2).map { _ in try server.get("/") }
        let nonces = try pages.map { page in
            let nonce = try #require(page.firstMatch(of: /script-src 'self' 'nonce-([0-9a-f]{32})'/)?.1)
            #expect(!page.contains("{{nonce}}"))
            #expect(
                page.contains(
                    "default-src 'none'; script-src 'self' 'nonce-\(nonce)'; style-src 'self' 'nonce-\(nonce)'; "
                        + "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
                ))
            return nonce
        }
        #expect(nonces[0] != nonces[1])
    }

    @Test func `A second request on a connection gets no answer`() throws {
        let request = "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n"
        let answer = try server.answer(request + request)
        #expect(answer.components(separatedBy: "HTTP/1.1 404 ").count == 2)
    }

    @Test func `The server has all files of the page`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Inspector/Page")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let table = names.sorted().map { name in
            "\"/\(name)\": PackageResources.\(name.replacing(/[^A-Za-z0-9]/, with: "_")),"
        }
        #expect(
            Set(names.map { "/\($0)" }) == Set(PageFiles.all.keys),
            "write into `PageFiles.all`:\n\(table.joined(separator: "\n"))")
        #expect(names.count <= 20)
        for (path, content) in PageFiles.all {
            #expect(try Data(contentsOf: folder.appendingPathComponent(path)) == Data(content))
        }
        #expect(PageFiles.all.values.map(\.count).reduce(0, +) <= 145_000)
    }
}
