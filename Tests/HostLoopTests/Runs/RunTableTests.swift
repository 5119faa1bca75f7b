import TestSupport
import Testing

@testable import HostLoop

/// The runs that other threads can change.
@Suite struct RunTableTests {
    private let key = RunKey(feedback: 0, number: 1)
    private var released = RunTable.Released()

    private func ready(_ readiness: RunTable.Readiness) -> Bool {
        if case .ready = readiness { true } else { false }
    }

    private func over(_ readiness: RunTable.Readiness) -> Bool {
        if case .over = readiness { true } else { false }
    }

    @Test mutating func aRunThatHasEndedIsNotCalledAgainAndLeavesNothingBehind() {
        var table = RunTable()
        _ = table.register(key, isStopping: false, &released)
        #expect(ready(table.callAgain(key, elsewhere: false)))
        _ = table.finish(key, error: nil, whileCalling: false, &released)
        #expect(over(table.callAgain(key, elsewhere: true)))
        #expect(table.isOver)
        #expect(table.live == 0)
    }

    @Test mutating func aRunThatOnlyReceivesIsLiveWhileACallOfItExecutes() {
        var table = RunTable()
        _ = table.register(key, isStopping: false, onlyReceives: true, &released)
        #expect(table.live == 0 && !table.isOver)
        #expect(ready(table.callAgain(key, elsewhere: true)))
        #expect(table.live == 1)
        _ = table.returned(key, .pending, error: nil, &released)
        #expect(table.live == 0 && !table.isOver)
        #expect(table.cancelAll().handlers.isEmpty)
        #expect(table.live == 0)
        _ = table.finish(key, error: nil, whileCalling: false, &released)
        #expect(table.live == 0 && table.isOver)
    }

    @Test mutating func aRunThatFinishesWhileItIsCalledAgainElsewhereEndsWithTheCall() {
        var table = RunTable()
        _ = table.register(key, isStopping: false, &released)
        #expect(ready(table.callAgain(key, elsewhere: true)))
        _ = table.finish(key, error: nil, whileCalling: false, &released)
        #expect(!table.isOver)
        #expect(over(table.callAgain(key, elsewhere: true)))
        _ = table.returned(key, .pending, error: nil, &released)
        #expect(table.isOver)
        #expect(table.live == 0)
    }

    @Test mutating func aRunThatIsUsedDuringItsCallIsNeitherLiveNorKeepsTheLoop() {
        var table = RunTable()
        table.keep(CancelHandler {}, for: key, whileCalling: true, &released)
        #expect(table.callingRows == 1 && table.live == 0 && table.isOver && table.keys.isEmpty)
        table.removeCalling(&released)
        #expect(table.callingRows == 0)
        #expect(released.rows.count == 1)
    }

    /// Random operations of random runs, against a model with flags in place of phases.
    @Test(arguments: 0..<200 as Range<UInt64>) func aTableAnswersAsItsModel(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var model = RunTableModel(runs: 1 + Int(generator.next() % 4))
        for _ in 0..<120 {
            model.take(RunTableModel.Word.allCases.randomElement(using: &generator)!, &generator)
        }
        #expect(model.differences == [])
    }
}
