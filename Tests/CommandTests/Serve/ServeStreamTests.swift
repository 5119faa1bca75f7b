import Foundation
import TestSupport
import Testing

/// Answers of `spin:serve` whose bodies come in parts.
@Suite(.timeLimit(.minutes(10))) struct ServeStreamTests {
    @Test func `parts come to all that follow, and the answers end in order`() throws {
        let world = try ServeStreamWorld()
        let (app, address) = try world.start()
        let clients = try (1...3).map { _ in try world.follower(app, address) }
        for line in ["one", "two"] {
            #expect(try world.serve.curl("-d", "\(line)\n", "\(address)/push") == "done")
            for client in clients { #expect(client.nextLine() == line) }
        }
        #expect(try world.serve.curl("-d", "", "\(address)/finish") == "done")
        for client in clients {
            #expect(client.end().status == 0)
            #expect(app.nextLine() == "finished")
        }
        app.endInOrder()
    }

    @Test func `a cancelled answer is not whole, and neither is one at the end of the app`() throws {
        let world = try ServeStreamWorld()
        let (app, address) = try world.start()
        let first = try world.follower(app, address)
        #expect(try world.serve.curl("-d", "", "\(address)/drop") == "done")
        #expect(first.end().status == 18)
        let last = try world.follower(app, address)
        #expect(try world.serve.curl("-d", "more\n", "\(address)/push") == "done")
        #expect(last.nextLine() == "more")
        app.endInOrder()
        #expect(last.end().status == 18)
    }

    @Test func `the loop hears of a client that leaves`() throws {
        let world = try ServeStreamWorld()
        let (app, address) = try world.start()
        let (first, second) = (try world.follower(app, address), try world.follower(app, address))
        kill(first.identifier, SIGKILL)
        #expect(app.nextLine() == "closed")
        #expect(try world.serve.curl("-d", "more\n", "\(address)/push") == "done")
        #expect(second.nextLine() == "more")
        app.endInOrder()
    }

    @Test func `a client that takes nothing is cut, and others are not`() throws {
        let world = try ServeStreamWorld()
        let (app, address) = try world.start("largest_backlog = 1000000, largest_body = 1000000")
        try world.serve.folder.write("part", String(repeating: "a", count: 999_999) + "\n")
        let part = "@\(world.serve.folder.url("part").path)"
        let slow = try world.follower(app, address, "--limit-rate", "1", "--output", "/dev/null")
        let other = try world.follower(app, address)
        // The buffers of the kernel take some megabytes.
        for _ in 1...30 {
            #expect(try world.serve.curl("--data-binary", part, "\(address)/push") == "done")
            #expect(other.nextLine().count == 999_999)
        }
        #expect(app.nextLine() == "slow")
        kill(slow.identifier, SIGKILL)
        app.endInOrder()
    }

    @Test func `a body of many parts waits for its client, and comes whole`() throws {
        let world = try ServeStreamWorld()
        let (app, address) = try world.start("largest_backlog = 20000")
        let copy = world.serve.folder.url("copy")
        #expect(try world.serve.curl("--fail", "--output", copy.path, "\(address)/load") == "")
        #expect(try String(contentsOf: copy, encoding: .utf8) == ServeStreamWorld.load)
        #expect(app.nextLine() == "finished")
        app.endInOrder()
    }

    @Test func `a swap ends answers, and the loop hears that they are gone`() throws {
        let world = try ServeStreamWorld()
        let folder = world.serve.folder
        let library = Project.root.appendingPathComponent("build/plugins/serve/serve.so")
        try FileManager.default.copyItem(at: library, to: folder.url("serve.so"))
        try folder.write("app.toml", ServeStreamWorld.manifest(library: "./serve.so"))
        let host = try ControlledHost(in: folder)
        let address = try world.serve.address(of: host.program)
        let client = try world.follower(host.program, address)
        try host.swapChanged("web", "serve.so")
        #expect(client.end().status == 18)
        #expect(host.program.nextLine().hasPrefix("no such request waits: "))
        let next = try world.follower(host.program, address)
        #expect(try world.serve.curl("-d", "more\n", "\(address)/push") == "done")
        #expect(next.nextLine() == "more")
        host.program.endInOrder()
    }
}
