import Foundation
import TestSupport
import Testing

private let nginxProgram = ["/usr/sbin/nginx", "/usr/bin/nginx"].first {
    FileManager.default.isExecutableFile(atPath: $0)
}

/// `spin:http` against nginx: TLS, HTTP/2, compression and connections that are used again.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: nginxProgram != nil, "there is no `nginx` on this machine: apt install nginx-light"))
struct NginxTests {
    /// nginx with a certificate of its own, whose log has a line for each request.
    private struct Nginx {
        let folder: TemporaryFolder
        let port: Int
        private let server: RunningProgram

        /// - Parameter more: further lines of its server.
        init(_ more: String = "") throws {
            folder = try TemporaryFolder()
            port = try Self.freePort()
            let made = try Shell.run(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", "key.pem", "-out", "cert.pem",
                ], in: folder.root)
            try #require(made.status == 0, "\(made.errors)")
            try folder.write("text.txt", String(repeating: "a line of text\n", count: 100_000))
            let long = String(repeating: "text ", count: 200) + "\n"
            try folder.write("long.txt", String(repeating: long, count: 10_000))
            let root = folder.root.path
            try folder.write(
                "nginx.conf",
                """
                daemon off;
                master_process off;
                pid \(root)/pid;
                error_log \(root)/errors;
                events {}
                http {
                    access_log off;
                    log_format plain '$server_protocol $connection_requests $sent_http_content_encoding $status $uri';
                    client_body_temp_path \(root)/b; proxy_temp_path \(root)/p; fastcgi_temp_path \(root)/f;
                    uwsgi_temp_path \(root)/u; scgi_temp_path \(root)/s;
                    server {
                        listen 127.0.0.1:\(port) ssl http2;
                        ssl_certificate \(root)/cert.pem;
                        ssl_certificate_key \(root)/key.pem;
                        access_log \(root)/requests plain;
                        root \(root);
                        gzip on;
                        gzip_types text/plain;
                        \(more)
                    }
                }
                """)
            server = try RunningProgram(
                ["-p", root, "-e", "\(root)/errors", "-c", "\(root)/nginx.conf"],
                program: try #require(nginxProgram))
            // nginx writes its number when it listens.
            try blockUntil { (try? String(contentsOf: folder.url("pid"), encoding: .utf8))?.isEmpty == false }
        }

        var address: String { "https://127.0.0.1:\(port)" }

        /// The lines of the log, once there are as many.
        func requests(_ count: Int) throws -> [String] {
            var lines: [String] = []
            try blockUntil {
                let log = (try? String(contentsOf: folder.url("requests"), encoding: .utf8)) ?? ""
                lines = log.split(separator: "\n").map(String.init)
                return lines.count >= count
            }
            return lines
        }

        private static func freePort() throws -> Int {
            let found = try Shell.run(
                "python3",
                [
                    "-c",
                    "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])",
                ])
            return try #require(Int(found.output.dropLast()))
        }
    }

    /// For each of three requests of an app, how many its connection has then served.
    private func connections(_ feedbacks: (_ url: String) -> String) throws -> [String] {
        let nginx = try Nginx()
        try nginx.folder.write(
            "app.toml",
            """
            app.sandbox = "best-effort"
            [plugins.web]
            library = "spin:http"
            config  = { ca_file = '\(nginx.folder.url("cert.pem").path)' }
            [loops.main]
            state  = { calls = 0, lines = 0 }
            events = { over = {}, line = { text = "string" } }
            until  = "state.calls == 3"
            on.over = { set = { calls = "state.calls + 1" } }
            on.line = { set = { lines = "state.lines + 1" } }
            [loops.main.feedback]
            \(feedbacks("\(nginx.address)/text.txt"))
            """)
        let outcome = try Shell.run(Project.spinhost, ["run", "--quiet"], in: nginx.folder.root)
        #expect(outcome.status == 0, "\(outcome)")
        return try nginx.requests(3).map { String($0.split(separator: " ")[1]) }.sorted()
    }

    /// A stream that waits for room would hold up another request on its connection. The third request begins when the
    /// second has emitted a line. libcurl hands on at most 1.6 MB at a time, so most of its 10 MB are to come then.
    @Test func `a connection serves one request at a time, and is used again`() throws {
        let counts = try connections { url in
            """
            one   = { effect = "web:get", when = "state.calls == 0", args = ["'\(url)'"], emits.received = { event = "over" } }
            two   = { effect = "web:lines", when = "state.calls > 0", args = ["'GET'", "'\(url.replacing("text", with: "long"))'", "[]", "b''"], emits.ended = { event = "over" } }
            three = { effect = "web:get", when = "state.lines > 0", args = ["'\(url)'"], emits.received = { event = "over" } }
            """
        }
        #expect(counts == ["1", "1", "2"])
    }

    /// libcurl could send a request again on a connection that the server closes just now.
    @Test func `a request that must not be sent twice gets a connection of its own`() throws {
        let counts = try connections { url in
            """
            post = { effect = "web:request", when = "state.calls < 3", args = ["'POST'", "'\(url)?%d'.format([state.calls])", "[]", "b''"], emits.answered = { event = "over" } }
            """
        }
        #expect(counts == ["1", "1", "1"])
    }

    private func run(_ nginx: Nginx, config: String) throws -> Shell.Outcome {
        try nginx.folder.write(
            "app.toml",
            """
            app.sandbox = "best-effort"
            [plugins.web]
            library = "spin:http"
            config  = { \(config) }
            [loops.main]
            state  = { calls = 1, text = "" }
            events = { received = { status = "i32", body = "string" }, lost = { reason = "string" } }
            until  = "state.calls == 4 || state.text != ''"
            [loops.main.on]
            received = { set = { calls = "state.calls + 1" } }
            lost     = { set = { text = "event.reason" } }
            [loops.main.feedback]
            get   = { effect = "web:get", when = "state.calls < 4", args = ["'\(nginx.address)/text.txt?%d'.format([state.calls])"], on-error = { event = "lost", reason = "error.message" } }
            print = { effect = "std:print", when = "state.text != ''", args = ["state.text"] }
            size  = { effect = "std:print", on = "received", args = ["string(size(event.body))"] }
            """)
        return try Shell.run(Project.spinhost, ["run", "--quiet"], in: nginx.folder.root)
    }

    @Test func `one connection with TLS and HTTP/2 serves all requests, compressed`() throws {
        let nginx = try Nginx()
        let outcome = try run(nginx, config: "ca_file = '\(nginx.folder.url("cert.pem").path)'")
        #expect(outcome.status == 0 && outcome.output == "1500000\n1500000\n1500000\n", "\(outcome)")
        #expect(
            try nginx.requests(3)
                == (1...3).map { "HTTP/2.0 \($0) gzip 200 /text.txt" })
    }

    @Test func `a certificate that nobody trusts is a failure that says what to do`() throws {
        let nginx = try Nginx()
        let outcome = try run(nginx, config: "")
        #expect(outcome.status == 0)
        #expect(
            outcome.output.hasPrefix("GET \(nginx.address)/text.txt?…: SSL certificate problem"), "\(outcome)"
        )
        #expect(outcome.output.contains("the setting `ca_file` names certificates to trust"), "\(outcome)")
    }

    @Test func `a WebSocket goes through TLS`() throws {
        let world = try SocketWorld()
        let nginx = try Nginx(
            """
            location /socket {
                proxy_pass http://127.0.0.1:\(world.port);
                proxy_http_version 1.1;
                proxy_set_header Upgrade $http_upgrade;
                proxy_set_header Connection upgrade;
            }
            """)
        let url = "wss://127.0.0.1:\(nginx.port)/socket"
        let app = try world.start(url, config: "ca_file = '\(nginx.folder.url("cert.pem").path)'")
        #expect(app.nextLine() == "\(url) opened ")
        #expect(world.server.nextLine() == "/socket asked")
        try world.server.write("/socket binary 1000000")
        #expect(app.nextLine() == "\(url) 1000000 bytes")
        try app.write("text " + String(repeating: "x", count: 1_000_000))
        #expect(world.server.nextLine() == "/socket binary 1000000")
        try world.server.write("/socket drop")
        #expect(
            app.nextLine()
                == "\(url) closed 1006 the server has ended the connection without closing the WebSocket")
        app.endInOrder()
        let stranger = try world.start(url)
        #expect(
            stranger.nextLine().hasPrefix("-60 \(url): SSL certificate problem"))
        stranger.endInOrder()
    }
}
