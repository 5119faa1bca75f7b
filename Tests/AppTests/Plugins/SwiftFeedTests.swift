import App
import Foundation
import TestSupport
import Testing

/// `Call.startPoll`, `Call.onRoom`, `SharedBytes` and `Instance.call` of a plugin in Swift.
@Suite(.timeLimit(.minutes(10))) struct SwiftFeedTests {
    @Test func `an instance polls, waits for its listener, and emits bytes without a copy`() async throws {
        let library = Project.root.appendingPathComponent("build/Tests/Fixtures/swift-plugin/feed.so").path
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.feed]
            library = "\(library)"
            [loops.main]
            state  = { sizes = { type = ["int"] }, last = { type = "bytes" } }
            events = { frame = { bytes = "bytes" } }
            until  = "size(state.sizes) == 2 && state.last == b'given'"
            on.frame = { set = { sizes = "state.sizes + [size(event.bytes)]", last = "event.bytes" } }
            [loops.main.feedback.listen]
            effect = "feed:*"
            [loops.main.feedback.keep]
            effect = "feed:give"
            when   = "size(state.sizes) == 1"
            args   = ["b'given'"]
            emits.frame = []

            """)
        #expect(end.outcome == .done)
        #expect(run.faults == [])
        #expect(run.steps.last?.contains(#""sizes":[5000,5]"#) == true)
        #expect(run.lines == ["ended"])
    }
}
