import Foundation
import TestSupport
import Testing

/// `spin:serve` in a worker, and with few connections.
@Suite(.timeLimit(.minutes(10))) struct ServeWorkerTests {
    /// Lines of the plugin, with rules of its sandbox.
    private static func isolated(_ rules: String) -> String {
        "isolation = 'process'\n[plugins.web.sandbox]\n\(rules)"
    }

    @Test func `in a worker, it answers, also with files`() throws {
        let world = try ServeWorld()
        try world.folder.write("site/a.txt", "a file")
        let site = world.folder.url("site").path
        let (app, address) = try world.start(
            "files = '\(site)'", plugin: Self.isolated("listen = ['tcp:0']\nread = ['\(site)']"))
        for _ in 1...3 {
            #expect(try world.curl("-d", "hello", "\(address)/a?x=1") == "POST /a [x=1] hello")
            #expect(try world.curl("\(address)/a.txt") == "a file")
        }
        app.endInOrder()
    }

    /// A worker has 64 files, unless its sandbox says more.
    @Test func `with few files, it has several connections all the same`() throws {
        let world = try ServeWorld()
        let (app, address) = try world.start(plugin: Self.isolated("listen = ['tcp:0']"))
        let waiting = try world.client("\(address)/wait")
        #expect(app.nextLine() == "/wait")
        #expect(try world.curl("\(address)/other") == "GET /other [] ")
        app.endInOrder()
        #expect(waiting.nextLine() == "the server ends")
    }

    @Test(arguments: [
        (
            "",
            "making a socket for TCP was refused; allow it with `connect`, such as `connect = [\"tcp:443\"]`, "
                + "or with `listen`"
        ),
        ("listen = ['tcp:1']", "listening at `tcp:0` was refused; allow it with `listen = [\"tcp:0\"]`"),
    ])
    func `a port that no rule names is refused`(_ rules: String, _ reason: String) throws {
        let world = try ServeWorld()
        try world.folder.write("app.toml", world.manifest(plugin: Self.isolated(rules)))
        let outcome = try Spinhost.run("run", in: world.folder)
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("warning: plugin `serve`: \(reason)\n"), "\(outcome.errors)")
        #expect(
            outcome.errors.contains("cannot listen at `127.0.0.1:0`: Permission denied"), "\(outcome.errors)")
    }

    @Test func `after the end of its worker, another one listens`() throws {
        let world = try ServeWorld()
        let manifest = world.manifest(plugin: Self.isolated("listen = ['tcp:0']")).replacing(
            "effect = \"web:requests\"",
            with: "effect = \"web:requests\"\nretry  = { times = 5, delay = '10ms' }")
        try world.folder.write("app.toml", manifest)
        let app = try RunningProgram(["run"], in: world.folder.root)
        _ = try world.address(of: app)
        kill(try #require(app.children.first), SIGKILL)
        let address = try world.address(of: app)
        #expect(try world.curl("\(address)/other") == "GET /other [] ")
        app.endInOrder()
    }

    @Test func `after the last connection that it may have, it takes the next one`() throws {
        let world = try ServeWorld()
        let (app, address) = try world.start("most_connections = 1")
        for number in 1...3 {
            #expect(try world.curl("\(address)/\(number)") == "GET /\(number) [] ")
        }
        app.endInOrder()
    }
}
