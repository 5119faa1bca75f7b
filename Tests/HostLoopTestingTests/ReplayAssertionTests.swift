import Foundation
import HostLoop
import HostLoopTesting
import TestSupport
import Testing

@Suite struct ReplayAssertionTests {
    private enum Event: Codable, Equatable, Sendable {
        case add(Int)
        case reset
    }

    private struct State: Codable, Equatable, Sendable {
        var sum = 0
        var path = "a/b"
    }

    private let failures = Failures()

    private static func reducer(adding factor: Int = 1, resets: Bool = true) -> Reducer<State, Event> {
        Reducer { (state: inout State, event: Event) throws -> Bool in
            switch event {
            case .add(let number):
                if number > 100 { throw Shop.Failure() }
                guard number != 0 else { return false }
                state.sum += number * factor
            case .reset:
                guard resets else { return false }
                state.sum = 0
            }
            return true
        }
    }

    private func recording(_ events: Event..., keepingLast limit: Int? = nil) throws -> Recording<
        State, Event
    > {
        let recorder = Recorder<State, Event>(keepingLast: limit)
        let loop = Spin(initialState: State(), reducer: Self.reducer(), feedbacks: [], executor: .caller)
            .start(
                observers: [recorder])
        for event in events { loop.emit(event) }
        return try #require(recorder.recording)
    }

    @Test func theRecordedReducerReplaysItsRun() throws {
        Self.reducer().assertReplays(try recording(.add(1), .add(0), .reset, .add(4)))
    }

    @Test func anotherReducerIsReportedWithTheFirstDifference() throws {
        let recording = try recording(.add(1), .add(0), .add(4), .reset, keepingLast: 2)
        Self.reducer(adding: 2).assertReplays(recording, report: failures.report)
        Self.reducer(resets: false).assertReplays(recording, report: failures.report)
        #expect(
            failures.messages == [
                """
                entry 3 of the recording, .add(4): the new state is not the recorded one (- recorded, + actual)
                - sum: 5
                + sum: 9
                """,
                "entry 4 of the recording, .reset: it was not handled; "
                    + #"recorded: it was handled, with the new state State(sum: 0, path: "a/b")"#,
            ])
    }

    @Test func anEventThatFailsOrIsHandledByNowIsReported() throws {
        let start = State()
        let recording = Recording(
            initialState: start, entries: [.init(event: Event.add(200), state: State(sum: 200))])
        Self.reducer().assertReplays(recording, report: failures.report)
        let unhandled = Recording(initialState: start, entries: [.init(event: Event.reset, state: nil)])
        let line = #line
        Self.reducer().assertReplays(unhandled, report: failures.report)
        #expect(
            failures.messages == [
                "entry 1 of the recording, .add(200): the reducer failed: Failure(code: 7); "
                    + #"recorded: it was handled, with the new state State(sum: 200, path: "a/b")"#,
                #"entry 1 of the recording, .reset: it was handled, with the new state State(sum: 0, path: "a/b"); "#
                    + "recorded: it was not handled",
            ])
        #expect(failures.lines.last == line + 1)
    }

    @Test func aRunWrittenToAFileIsATest() throws {
        let folder = try TemporaryFolder()
        let path = folder.url("run.json").path
        try recording(.add(1), .add(0)).write(toFile: path)
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == """
                {
                  "dropped" : 0,
                  "entries" : [
                    {
                      "event" : {
                        "add" : {
                          "_0" : 1
                        }
                      },
                      "state" : {
                        "path" : "a/b",
                        "sum" : 1
                      }
                    },
                    {
                      "event" : {
                        "add" : {
                          "_0" : 0
                        }
                      }
                    }
                  ],
                  "initialState" : {
                    "path" : "a/b",
                    "sum" : 0
                  }
                }

                """)
        try Self.reducer().assertReplays(fileAt: path)
        try Self.reducer(adding: 3).assertReplays(fileAt: path, report: failures.report)
        #expect(
            failures.messages == [
                """
                entry 1 of the recording, .add(1): the new state is not the recorded one (- recorded, + actual)
                - sum: 1
                + sum: 3
                """
            ])
    }

    @Test func aFileThatIsMissingOrBrokenIsAnError() throws {
        let folder = try TemporaryFolder()
        let path = folder.url("run.json").path
        #expect(throws: CocoaError.self) { try Self.reducer().assertReplays(fileAt: path) }
        try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: DecodingError.self) { try Self.reducer().assertReplays(fileAt: path) }
    }
}
