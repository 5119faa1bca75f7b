import App
import Foundation
import HostLoop
import TestSupport
import Testing

/// Callbacks of an SDK, on the SDK's own thread, that become events.
@Suite(.timeLimit(.minutes(10))) struct SDKCallbackTests {
    @Test func callbacksOfAnSDK_becomeEvents_untilTheyAreCancelled() async throws {
        let file = Project.root.appendingPathComponent("Tests/Fixtures/plugins/sdk.c")
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.sdk]
            library = "./lib.so"
            [loops.main]
            state  = { channel = 1, n = 0 }
            events = { measured = { channel = "i32", value = "double" } }
            until  = "state.channel == 3"
            [loops.main.on]
            measured = { if = "event.channel == state.channel", set = { n = "(state.n + 1) % 10", channel = "state.n == 9 ? state.channel + 1 : state.channel" } }
            [loops.main.feedback.watch]
            effect = "sdk:watch"
            args   = ["state.channel"]

            """, library: try String(contentsOf: file, encoding: .utf8))
        #expect(end.outcome == .done)
        #expect(run.faults == [])
        #expect(end.abandoned == [])
        #expect(end.counters.steps == 20)
    }
}
