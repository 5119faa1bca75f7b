import Foundation
import TestSupport
import Testing

/// `examples/sitewatch`, with a server that fails when the test says so.
@Suite(.timeLimit(.minutes(10))) struct SitewatchTests {
    @Test func `three failures in a row are an alarm, and an answer ends it`() throws {
        let world = try HttpWorld()
        let app = try start(in: world)
        #expect(world.server.nextLine() == "asked GET /shaky")
        for _ in 0..<3 { try world.server.write("fail") }
        #expect(
            app.nextLine()
                == "alarm 1: GET \(world.address)/shaky: the server answers 503 Service Unavailable")
        #expect(app.nextLine() == "alarm 1 is over")
        app.endInOrder()
    }

    @Test func `each alarm is posted until the receiver takes it, in order and with its key`() throws {
        let world = try HttpWorld()
        let app = try start(in: world, "--set", "alarms=\(world.address)/alarms", "--set", "pause=1ms")
        #expect(world.server.nextLine() == "asked GET /shaky")
        for _ in 0..<3 { try world.server.write("fail") }
        let posts = (0..<4).map { _ in
            world.server.nextLine(with: "alarm ").split(separator: " ", maxSplits: 2)
        }
        app.endInOrder()
        try #require(posts.allSatisfy { $0.count == 3 })
        #expect(
            posts.map { $0[2].hasSuffix("503 Service Unavailable") } == [true, true, false, false]
                && posts.suffix(2).map { $0[2] } == ["alarm 1 is over", "alarm 1 is over"])
        #expect(posts[0][1] == posts[1][1] && posts[2][1] == posts[3][1] && posts[0][1] != posts[2][1])
    }

    private func start(in world: HttpWorld, _ options: String...) throws -> RunningProgram {
        try RunningProgram(
            [
                "--quiet", "--manifest", Spinhost.example("sitewatch"), "--journal", "watch.journal",
                "--set", "url=\(world.address)/shaky", "--set", "interval=5ms",
            ] + options, in: world.folder.root, environment: ["no_proxy": "127.0.0.1"])
    }

    @Test func `its tests hold`() throws {
        let outcome = try Spinhost.run("test", "--manifest", Spinhost.example("sitewatch"))
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    }
}
