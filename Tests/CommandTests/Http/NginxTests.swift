import Foundation
import TestSupport
import Testing

/// `spin:http` against nginx: TLS, HTTP/2, compression and connections that are used again.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: Nginx.program != nil, Nginx.advice))
struct NginxTests {
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
}
