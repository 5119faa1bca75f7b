import App
import Foundation
import Testing
import TestSupport

/// A plugin written in Swift on `SpinPlugin`, built by CMake, in a running app.
struct SwiftPluginTests {
    private static let library = Project.root.appendingPathComponent(
        "build/Tests/Fixtures/swift-plugin/talker.so"
    ).path

    @Test func swiftEffects_printAnswerAndFail_throughTheHost() async throws {
        let run = RecordedRun()
        let end = try await run.run(
            """
            [plugins.talker]
            library = "\(Self.library)"
            [loops.main]
            state  = { length = 0 }
            events = { greeted = { length = "int" } }
            [loops.main.on]
            greeted = { set = { length = "event.length" } }
            [loops.main.feedback]
            greet  = { effect = "talker:greet", args = ["'grün'"], emit = { event = "greeted", length = "result" } }
            refuse = { effect = "talker:refuse", when = "state.length == 10", args = ["'no more'"] }

            """)
        #expect(run.lines == ["hello grün"])
        #expect(run.steps == [#"{"length":0}"#, #"greeted{"length":10} {"length":10}"#])
        #expect(run.faults.count == 1)
        #expect(run.faults.first?.hasSuffix("feedback:refuse: `refuse` failed: no more") == true)
        #expect(end.outcome == .nothingLeft(unreached: []))
    }
}
