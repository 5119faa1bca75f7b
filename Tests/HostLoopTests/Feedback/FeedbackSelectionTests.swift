import HostLoop
import Testing

@Suite(.timeLimit(.minutes(10))) struct FeedbackSelectionTests {
    /// Each event says which feedbacks its step concerns.
    @Test func aStepAsksTheSelectedFeedbacks_allEndingsComeFirst() async {
        let told = Lock<[String]>([])
        let selection = FeedbackSelection()
        let spin = Spin<Int, [Int32]>(
            initialState: 0,
            reducer: Reducer { state, event in
                state += 1
                selection.feedbacks = event
                return true
            },
            feedbacks: (0..<4).map { index in
                .onChange("\(index)", request: { $0 }) { state, run in
                    told.withLock { $0.append("\(index) begins for \(state)") }
                    run.onCancel {
                        told.withLock { $0.append("\(index) ends") }
                        run.finish()
                    }
                    return .pending
                }
            }, until: { $0 == 3 }, mailbox: .unbounded, clock: ContinuousLoopClock(), journal: nil,
            selection: selection, reclaim: { _ in })
        let loop = spin.start()
        for event: [Int32] in [[1, 3], [], [2]] { loop.emit(event) }
        await loop.ended.wait()
        #expect(
            told.withLock { Array($0.prefix(10)) } == [
                "0 begins for 0", "1 begins for 0", "2 begins for 0", "3 begins for 0",
                "1 ends", "3 ends", "1 begins for 1", "3 begins for 1",
                "2 ends", "2 begins for 3",
            ])
    }
}
