import Foundation
import TestSupport
import Testing

/// Swaps of `spin:serve` while clients ask, and the example that uses it.
@Suite(.timeLimit(.minutes(10))) struct ServeSwapTests {
    @Test func `in a swap, a client that waits comes again, and no other one notices`() throws {
        let world = try ServeWorld()
        let library = Project.root.appendingPathComponent("build/plugins/serve/serve.so")
        try FileManager.default.copyItem(at: library, to: world.folder.url("serve.so"))
        try world.folder.write("app.toml", world.manifest(library: "./serve.so"))
        let host = try ControlledHost(in: world.folder)
        let address = try world.address(of: host.program)
        for round in 1...3 {
            let waiting = try world.client("\(address)/wait/\(round)")
            // A call that was made again in the last swap may have said that its request is over.
            #expect(host.program.nextLine(with: "/wait") == "/wait/\(round)")
            let busy = try world.client(
                "--output", "/dev/null", "--write-out", "%{http_code}\n", "\(address)/[1-200]")
            try host.swapChanged("web", "serve.so")
            #expect(waiting.nextLine() == "the server ends")
            #expect(waiting.end().status == 0)
            var statuses: [String: Int] = [:]
            for _ in 1...200 { statuses[busy.nextLine(), default: 0] += 1 }
            #expect(statuses["200", default: 0] + statuses["503", default: 0] == 200, "\(statuses)")
            #expect(busy.end().status == 0)
            #expect(try world.curl("\(address)/after") == "GET /after [] ")
        }
        host.program.endInOrder()
    }

    @Test func `the entries of one run of the guestbook are there in the next one`() throws {
        let world = try ServeWorld()
        let example = try String(contentsOfFile: Spinhost.example("guestbook"), encoding: .utf8)
        let site = URL(fileURLWithPath: Spinhost.example("guestbook")).deletingLastPathComponent()
        try world.folder.write(
            "app.toml",
            example.replacing("127.0.0.1:8080", with: "127.0.0.1:0").replacing(
                "examples/guestbook/site", with: site.appendingPathComponent("site").path))
        func start() throws -> (app: RunningProgram, address: String) {
            let app = try RunningProgram(["run"], in: world.folder.root)
            return (app, try world.address(of: app))
        }
        let (first, address) = try start()
        #expect(try world.curl("-d", "Hello\nthere", "\(address)/entries?name=Ada") == "stored\n")
        #expect(try world.curl("-d", "Hi", "\(address)/entries?name=Bob") == "stored\n")
        #expect(try world.status("-d", "", "\(address)/entries?name=Bob") == "400")
        #expect(try world.status("\(address)/nothing") == "404")
        first.endInOrder()
        let (next, there) = try start()
        #expect(try world.curl("\(there)/entries") == "Bob: Hi\nAda: Hello there\n")
        #expect(try world.curl("\(there)/").contains("<title>Guestbook</title>"))
        next.endInOrder()
    }

    @Test func `the tests of the guestbook hold`() throws {
        let outcome = try Spinhost.run("test", "--manifest", Spinhost.example("guestbook"))
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        // `respond` says that it emits nothing, so no warning asks for an event.
        let checked = try Spinhost.run("check", "--manifest", Spinhost.example("guestbook"))
        #expect(checked.status == 0 && !checked.errors.contains("warning"), "\(checked)")
    }
}
