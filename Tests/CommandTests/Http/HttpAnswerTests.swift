import Foundation
import TestSupport
import Testing

/// `get`, `post` and `request` of `spin:http`, and what a server's answer becomes.
@Suite(.timeLimit(.minutes(10))) struct HttpAnswerTests {
    /// Calls with the line that each of them leads to.
    private func expect(
        _ effect: String, _ calls: [(arguments: [String], line: String)], _ mode: PluginMode = .inline,
        config: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let lines = try HttpWorld(mode).answers(effect, calls.map(\.arguments), config: config)
        #expect(lines == calls.map(\.line), sourceLocation: sourceLocation)
    }

    @Test(arguments: PluginMode.allCases)
    func `get emits a text, and a bad answer is a failure with its reason`(_ mode: PluginMode) throws {
        try expect(
            "get",
            [
                (["'/text'"], "200 grüß Gott"),
                (["'/nothing?key=1'"], "-404 GET /nothing?…: the server answers 404 Not Found"),
                (["'/bytes'"], "-61 GET /bytes: the body is not UTF-8; `request` takes any bytes"),
                (
                    ["'/bomb'"],
                    "-63 GET /bomb: the body is larger than 16777216 bytes (setting `largest_body`)"
                ),
                (
                    ["'/cut'"],
                    "-18 GET /cut: transfer closed with 993 bytes remaining to read; the server has closed the connection in the middle of its answer"
                ),
                (["'/silent'"], "-52 GET /silent: the server has closed the connection without an answer"),
                (["'/garbage'"], "-8 GET /garbage: Received HTTP/0.9 when not allowed"),
                (
                    ["'/circle'"],
                    "-47 GET /circle: the server has redirected more than 5 times (setting `most_redirects`)"
                ),
                (["'/file'"], "-3 GET /file: the server redirects to where no `http` or `https` URL leads"),
            ], mode)
    }

    @Test func `a URL that leads nowhere is a failure, without its secrets`() throws {
        try expect(
            "get",
            [
                (["''"], "-43 the URL is empty"),
                (["'ftp://127.0.0.1/'"], "-43 the URL does not begin with `http://` or `https://`"),
                (["'http://['"], "-43 the URL is not valid: Bad IPv6 address"),
                (
                    ["'http://me:pass@127.0.0.1:1/a?key=b#c'"],
                    "-7 GET http://127.0.0.1:1/a?…: cannot connect: Connection refused"
                ),
            ])
    }

    @Test(arguments: PluginMode.allCases)
    func `request sends what the caller names, and emits all of the answer`(_ mode: PluginMode) throws {
        let text = "PUT /echo?a=b|Accept: text/plain|Content-Type: x/y|User-Agent: spinhost-http/1.0|a body"
        try expect(
            "request",
            [
                (
                    [
                        "'PUT'", "'/echo?a=b'", "['accept: text/plain', 'Content-Type: x/y']",
                        "bytes('a body')",
                    ],
                    "200 \(text.utf8.count) \(text)"
                ),
                (["'GET'", "'/nothing'", "[]", "b''"], "404 12 "),
                (["'GET'", "'/bytes'", "[]", "b''"], "200 3 "),
                (["'HEAD'", "'/text'", "[]", "b''"], "200 0 "),
                (["'DELETE'", "'/text'", "[]", "b''"], "200 12 "),
            ], mode)
    }

    @Test func `what would make another request is refused`() throws {
        try expect(
            "request",
            [
                (
                    ["'GET'", "'/echo'", "['X: a\\\\r\\\\nY: b']", "b''"],
                    "-43 the header `X` has a line break or another control character"
                ),
                (["'GET'", "'/echo'", "['X']", "b''"], "-43 a header is not written `Name: value`"),
                (
                    ["'GET'", "'/echo'", "['content-length: 5']", "b''"],
                    "-43 the plugin sets the header `Content-Length` itself"
                ),
                (["'GET x'", "'/echo'", "[]", "b''"], "-43 the method is not a word such as `GET`"),
                (["'CONNECT'", "'/echo'", "[]", "b''"], "-43 the method `CONNECT` is not possible"),
                (["'HEAD'", "'/echo'", "[]", "b'x'"], "-43 a HEAD request has no body"),
            ])
    }

    @Test func `post sends a body, and a redirect keeps it if it says so`() throws {
        let agent = "User-Agent: spinhost-http/1.0"
        try expect(
            "post",
            [
                (
                    ["'/echo'", "'application/json'", "'[1, 2]'"],
                    "200 POST /echo|Accept: */*|Content-Type: application/json|\(agent)|[1, 2]"
                ),
                (["'/hop'", "'text/plain'", "'body'"], "200 GET /echo|Accept: */*|\(agent)|"),
                (
                    ["'/kept'", "'text/plain'", "'body'"],
                    "200 POST /echo|Accept: */*|Content-Type: text/plain|\(agent)|body"
                ),
                (
                    ["'/echo'", "'a\\\\r\\\\nb'", "''"],
                    "-43 the header `Content-Type` has a line break or another control character"
                ),
            ])
    }

    /// The user and password of the URL, and the headers that prove who asks.
    @Test func `another server gets no secret`() throws {
        let world = try HttpWorld()
        let calls = ["/echo", "/away"].map {
            [
                "'GET'", "'http://me:pass@127.0.0.1:\(world.ports[0])\($0)'",
                "['Cookie: a=b', 'Host: me', 'X-Team: red']", "b''",
            ]
        }
        let lines = try world.answers(
            "request", calls, config: "secret_header = { env = 'KEY' }", environment: ["KEY": "X-Key: hidden"]
        )
        // The host leaves secrets out of what it prints.
        #expect(
            lines.map { $0.split(separator: " ", maxSplits: 2).last } == [
                "GET /echo|Accept: */*|Authorization: Basic bWU6cGFzcw==|Cookie: a=b|User-Agent: spinhost-http/1.0|<secret>|X-Team: red|Host: me|",
                "GET /echo|Accept: */*|User-Agent: spinhost-http/1.0|X-Team: red|",
            ])
    }

    @Test func `a header of the caller comes in place of the secret one`() throws {
        let lines = try HttpWorld().answers(
            "request", [["'GET'", "'/echo'", "['x-key: mine']", "b''"]],
            config: "secret_header = { env = 'KEY' }", environment: ["KEY": "X-Key: hidden"])
        #expect(
            lines.map { $0.split(separator: " ", maxSplits: 2).last } == [
                "GET /echo|Accept: */*|User-Agent: spinhost-http/1.0|X-Key: mine|"
            ])
    }

    /// The host reports it. The answer has come, so the call has not failed.
    @Test func `an answer that the manifest can make no event of is no failure of the call`() throws {
        let world = try HttpWorld()
        let text = world.manifest("get", [["'/text'"]])
        try world.folder.write(
            "app.toml",
            text.replacing(
                "'%d %s'.format([value.status, value.body.trim()])", with: "string(1 / (value.status - 200))")
        )
        let outcome = try Shell.run(Project.spinhost, ["run", "--quiet"], in: world.folder.root)
        #expect(outcome.output.isEmpty && outcome.errors.contains("divi"), "\(outcome)")
        #expect(!outcome.errors.contains("-63"), "\(outcome)")
    }

    @Test func `a time limit ends a request`() throws {
        try expect(
            "get",
            [
                (["'/never'"], "-28 GET /never: no whole answer within 0.05 s (setting `timeout`)"),
                (["'/drip'"], "-28 GET /drip: no whole answer within 0.05 s (setting `timeout`)"),
            ], config: "timeout = '50ms'")
    }

    @Test func `settings hold for each request`() throws {
        try expect(
            "get",
            [
                (["'/large'"], "-63 GET /large: the body is larger than 4999 bytes (setting `largest_body`)"),
                (["'/hop'"], "-303 GET /hop: the server answers 303 See Other"),
                (["'/echo'"], "200 GET /echo|Accept: a/b|User-Agent: me|X-Team: red|"),
            ],
            config:
                "largest_body = 4999, most_redirects = 0, user_agent = 'me', headers = ['X-Team: red', 'accept: a/b']"
        )
    }

    /// A worker cannot look up a name, but its proxy can.
    @Test(arguments: PluginMode.allCases)
    func `a proxy gets the name of the server`(_ mode: PluginMode) throws {
        let world = try HttpWorld(mode)
        let lines = try world.answers(
            "get", [["'http://nowhere.invalid/text'"]], config: "proxy = '\(world.address)'",
            environment: ["no_proxy": "*"])
        #expect(lines == ["200 grüß Gott"])
        #expect(world.server.nextLine() == "asked GET http://nowhere.invalid/text")
    }

    @Test func `the password of a proxy is in no message`() throws {
        let lines = try HttpWorld().answers(
            "get", [["'http://nowhere.invalid/'"]], environment: ["http_proxy": "ftp://me:pass@127.0.0.1:1"])
        #expect(
            lines == ["-7 GET http://nowhere.invalid/: cannot connect: the URL of the proxy is not valid"])
    }

    @Test func `an answer that is too large for a worker is a failure`() throws {
        try expect(
            "get",
            [
                (
                    ["'/huge'"],
                    "-63 GET /huge: the host refuses an answer of 34603008 bytes; from a worker it takes 32 MiB"
                )
            ], .process, config: "largest_body = 40000000")
    }

    @Test(arguments: [
        ("headers = ['X-Team']", "setting `headers`: a header is not written `Name: value`"),
        ("ca_file = '/nowhere'", "setting `ca_file`: cannot read `/nowhere`: No such file or directory"),
        ("proxy = 'ftp://x'", "setting `proxy`: it is not a URL such as"),
        ("secret_header = { env = 'KEY' }", "setting `secret_header`: a header is not written `Name: value`"),
    ])
    func `a bad setting ends the app before it begins`(_ config: String, _ reason: String) throws {
        let world = try HttpWorld()
        let end = try world.start(
            "get", "'/text'", config: config, environment: ["KEY": "hidden words"]
        ).end()
        #expect(end.status == 69)
        #expect(end.errors.contains(reason), "\(end.errors)")
        #expect(!end.errors.contains("hidden words"))
        try world.server.closeInput()
    }
}
