import Foundation
import TestSupport
import Testing

/// `examples/sitewatch`, with a server that fails when the test says so.
@Suite(.timeLimit(.minutes(10))) struct SitewatchTests {
    @Test func `three failures in a row are an alarm, and an answer ends it`() throws {
        let world = try HttpWorld()
        let app = try RunningProgram([
            "--quiet", "--manifest", Spinhost.example("sitewatch"), "--set", "url=\(world.address)/shaky",
            "--set", "interval=5ms",
        ])
        #expect(world.server.nextLine() == "asked GET /shaky")
        for _ in 0..<3 { try world.server.write("fail") }
        #expect(
            app.nextLine()
                == "alarm 1: GET \(world.address)/shaky: the server answers 503 Service Unavailable")
        #expect(app.nextLine() == "alarm 1 is over")
        app.endInOrder()
    }

    @Test func `its tests hold`() throws {
        let outcome = try Spinhost.run("test", "--manifest", Spinhost.example("sitewatch"))
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    }
}
