import Testing

@testable import HostLoop

/// What is kept of runs that other threads may speak for.
@Suite struct RunLedgerTests {
    private let key = RunKey(feedback: 0, number: 1)

    private func ready(_ readiness: RunLedger.Readiness) -> Bool {
        if case .ready = readiness { true } else { false }
    }

    private func over(_ readiness: RunLedger.Readiness) -> Bool {
        if case .over = readiness { true } else { false }
    }

    @Test func aRunThatHasEndedIsNotCalledAgainAndLeavesNothingBehind() {
        var ledger = RunLedger()
        _ = ledger.register(key, isStopping: false)
        #expect(ready(ledger.callAgain(key, elsewhere: false)))
        _ = ledger.finish(key, error: nil, whileCalling: false)
        #expect(over(ledger.callAgain(key, elsewhere: true)))
        #expect(ledger.isOver)
        #expect(ledger.live == 0)
    }

    @Test func aRunThatOnlyReceivesIsLiveWhileACallOfItExecutes() {
        var ledger = RunLedger()
        _ = ledger.register(key, isStopping: false, onlyReceives: true)
        #expect(ledger.live == 0 && !ledger.isOver)
        #expect(ready(ledger.callAgain(key, elsewhere: true)))
        #expect(ledger.live == 1)
        _ = ledger.returned(key, .pending, error: nil)
        #expect(ledger.live == 0 && !ledger.isOver)
        #expect(ledger.cancelAll().isEmpty)
        #expect(ledger.live == 0)
        _ = ledger.finish(key, error: nil, whileCalling: false)
        #expect(ledger.live == 0 && ledger.isOver)
    }

    @Test func aRunThatFinishesWhileItIsCalledAgainElsewhereEndsWithTheCall() {
        var ledger = RunLedger()
        _ = ledger.register(key, isStopping: false)
        #expect(ready(ledger.callAgain(key, elsewhere: true)))
        _ = ledger.finish(key, error: nil, whileCalling: false)
        #expect(!ledger.isOver)
        #expect(over(ledger.callAgain(key, elsewhere: true)))
        _ = ledger.returned(key, .pending, error: nil)
        #expect(ledger.isOver)
        #expect(ledger.live == 0)
    }
}
