import Foundation
import HostLoop
import HostLoopTesting
import Testing

@Suite struct RecordingTests {
    private typealias Entry = Recording<Int, Int>.Entry

    private func record(
        keepingLast limit: Int? = nil, _ events: [Int], _ feedbacks: Feedback<Int, Int>...
    ) throws -> Recording<Int, Int> {
        let recorder = Recorder<Int, Int>(keepingLast: limit)
        #expect(recorder.recording == nil)
        let spin = Spin(initialState: 1, reducer: Counting.reducer, feedbacks: feedbacks)
        let loop = spin.on(executor: .caller).start(observers: [recorder])
        for event in events { loop.emit(event) }
        return try #require(recorder.recording)
    }

    // MARK: - Recording

    @Test func aRecordingHasEveryEventItsRunAndItsState() throws {
        let recording = try record([2, 0, -9, 4], .onState("double", where: { $0 == 3 }, effect: { $0 }))
        let double = EffectRun(feedback: "double", index: 0, number: 1)
        #expect(
            recording
                == Recording(
                    initialState: 1,
                    entries: [
                        Entry(event: 2, state: 3), Entry(event: 3, run: double, state: 6),
                        Entry(event: 0, state: nil),
                        Entry(event: 4, state: 10),
                    ]))
        #expect(recording.states == [1, 3, 6, 10])
    }

    @Test func aBoundedRecorderKeepsTheNewestEntriesAndTheStateBeforeThem() throws {
        let recording = try record(keepingLast: 3, [1, 2, 0, 3, 0, 4])
        #expect(
            recording
                == Recording(
                    initialState: 4,
                    entries: [
                        Entry(event: 3, state: 7), Entry(event: 0, state: nil), Entry(event: 4, state: 11),
                    ],
                    dropped: 3))
        #expect(recording.replay(with: Counting.reducer) == nil)
    }

    @Test func aBoundedRecorderKeepsNoMoreThanItsNumberOfThem() throws {
        final class Traced: Sendable {
            static let alive = Lock(0)
            init() { Self.alive.withLock { $0 += 1 } }
            deinit { Self.alive.withLock { $0 -= 1 } }
        }
        let recorder = Recorder<Int, Traced>(keepingLast: 10)
        let loop = Spin<Int, Traced>(
            initialState: 0,
            reducer: Reducer { (state: inout Int, _: Traced) -> Bool in
                state += 1
                return true
            }, feedbacks: [], executor: .caller
        ).start(observers: [recorder])
        for _ in 0..<10_000 { loop.emit(Traced()) }
        #expect(Traced.alive.withLock { $0 } == 10)
        #expect(recorder.recording?.dropped == 9_990)
        #expect(recorder.recording?.initialState == 9_990)
    }

    @Test func aRecorderOfASecondLoopStartsAgain() throws {
        let recorder = Recorder<Int, Int>()
        let spin = Counting.spin()
        spin.start(observers: [recorder]).emit(1)
        spin.start(observers: [recorder]).emit(2)
        #expect(recorder.recording == Recording(initialState: 0, entries: [Entry(event: 2, state: 2)]))
    }

    @Test func aRecordingIsAValueThatLaterEventsLeaveAsItIs() throws {
        let recorder = Recorder<Int, Int>()
        let loop = Counting.spin().start(observers: [recorder])
        loop.emit(1)
        let recording = recorder.recording
        loop.emit(2)
        #expect(recording?.entries.count == 1)
        #expect(recorder.recording?.entries.count == 2)
    }

    @Test func aRecorderKeepsAtLeastOneEntry() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Recorder<Int, Int>(keepingLast: 0)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a recorder must keep at least one entry"))
    }

    // MARK: - Replay

    @Test func theSameReducerReplaysWithoutADifference() throws {
        let recording = try record(
            [1, 0, -5, 2, 3, 0], .onState("even", where: { $0.isMultiple(of: 2) }, effect: { _ in 1 }))
        #expect(recording.replay(with: Counting.reducer) == nil)
    }

    @Test func theFirstDifferenceIsFoundWhateverItsKind() throws {
        let recording = try record([1, 2, 0, 3])
        func difference(_ reduce: @escaping @Sendable (inout Int, Int) throws -> Bool) throws -> [String] {
            let found = try #require(recording.replay(with: Reducer(reduce)))
            return [
                "\(found.index)", "\(found.event)", "\(found.before)", "\(found.expected)", "\(found.actual)",
            ]
        }
        let other = try difference { state, event in
            state += event == 2 ? 3 : event
            return event != 0
        }
        #expect(other == ["1", "2", "2", "newState(4)", "newState(5)"])
        let unhandled = try difference { state, event in
            state += event
            return event == 1 || event == 2
        }
        #expect(unhandled == ["3", "3", "4", "newState(7)", "unhandled"])
        let handled = try difference { state, event in
            state += event
            return true
        }
        #expect(handled == ["2", "0", "4", "unhandled", "newState(4)"])
        let failed = try difference { state, event in
            if event == 0 { throw Counting.Failure() }
            state += event
            return true
        }
        #expect(
            failed == ["2", "0", "4", "unhandled", #"failed(HostLoopTests.Counting.Failure(text: "no"))"#])
    }

    @Test func statesWithoutEqualityAreComparedByAClosure() {
        struct Plain: Sendable { var count = 0 }
        let reducer = Reducer<Plain, Int> { (state: inout Plain, event: Int) -> Bool in
            state.count += event
            return true
        }
        let recording = Recording<Plain, Int>(
            initialState: Plain(),
            entries: [.init(event: 1, state: Plain(count: 1)), .init(event: 1, state: Plain())])
        #expect(recording.replay(with: reducer) { $0.count == $1.count }?.index == 1)
        #expect(recording.replay(with: reducer) { _, _ in true } == nil)
    }

    // MARK: - Files

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func aRecordingSurvivesAFile() throws {
        let recording = try record(
            keepingLast: 3, [1, 2, 0], .onState("more", where: { $0 == 4 }, effect: { _ in 5 }))
        let text = try json(recording)
        #expect(
            text == """
                {"dropped":1,"entries":[{"event":2,"state":4},\
                {"event":5,"run":{"feedback":"more","index":0,"number":1},"state":9},{"event":0}],"initialState":2}
                """)
        #expect(try JSONDecoder().decode(Recording<Int, Int>.self, from: Data(text.utf8)) == recording)
    }

    @Test func aStateThatIsNullIsNoUnhandledEvent() throws {
        let recording = Recording<Int?, Int>(
            initialState: 1, entries: [.init(event: 1, state: .some(nil)), .init(event: 2, state: nil)])
        let text = try json(recording)
        #expect(
            text == #"{"dropped":0,"entries":[{"event":1,"state":null},{"event":2}],"initialState":1}"#)
        #expect(try JSONDecoder().decode(Recording<Int?, Int>.self, from: Data(text.utf8)) == recording)
    }
}
