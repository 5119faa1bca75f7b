import Testing

@testable import App

struct AppRunStateTests {
    private func state(_ untils: Bool..., stopsOnFault: Bool = false) -> AppRunState {
        AppRunState(
            loops: untils.enumerated().map { ("loop\($0.offset)", $0.element) }, stopsOnFault: stopsOnFault)
    }

    @Test func app_isDone_whenEveryLoopWithUntilReachedIt() {
        var app = state(true, false, true)
        #expect(app.stopped(0, reachedUntil: true) == .none)
        #expect(app.quiescent(1) == .none)
        #expect(app.stopped(2, reachedUntil: true) == .stopLoops(.done))
        #expect(app.stopped(1, reachedUntil: false) == .none)
        #expect(app.outcome == .done)
    }

    @Test func app_endsWhenNothingIsLeft_andNamesWhatWasNotReached() {
        var app = state(true, true)
        #expect(app.stopped(0, reachedUntil: true) == .none)
        #expect(app.quiescent(1) == .stopLoops(.nothingLeft(unreached: ["loop1"])))
    }

    @Test func app_withoutUntil_endsWhenAllLoopsAreQuiescent() {
        var app = state(false, false)
        #expect(app.quiescent(1) == .none)
        #expect(app.quiescent(1) == .none)
        #expect(app.quiescent(0) == .stopLoops(.nothingLeft(unreached: [])))
    }

    @Test func app_continues_whileAMessageIsOnItsWay_orBecameEvents() {
        var app = state(false, false)
        #expect(app.quiescent(0) == .none)
        // The second loop has sent the first one a message.
        #expect(app.quiescent(1, messagesWait: true) == .none)
        app.received(0)
        #expect(app.quiescent(1) == .none)
        #expect(app.quiescent(0) == .stopLoops(.nothingLeft(unreached: [])))
    }

    @Test func app_endsAfterAMessage_thatBecameNoEvent() {
        var app = state(true, false)
        #expect(app.stopped(0, reachedUntil: false, messagesWait: true) == .none)
        #expect(app.quiescent(1, messagesWait: true) == .none)
        #expect(app.quiescent(1) == .stopLoops(.nothingLeft(unreached: ["loop0"])))
    }

    @Test func aLoopThatStopped_receivesNothing() {
        var app = state(true, true)
        #expect(app.stopped(0, reachedUntil: true) == .none)
        app.received(0)
        #expect(app.quiescent(0) == .none)
        #expect(app.quiescent(1) == .stopLoops(.nothingLeft(unreached: ["loop1"])))
    }

    @Test func appThatStays_endsOnlyWhenItIsDone() {
        var app = AppRunState(loops: [("a", true), ("b", false)], stopsOnFault: false, stays: true)
        #expect(app.quiescent(0) == .none)
        #expect(app.quiescent(1) == .none)
        #expect(app.stopped(0, reachedUntil: true) == .stopLoops(.done))
    }

    @Test func fault_endsTheApp_onlyWhenItShould() {
        var lenient = state(true)
        #expect(lenient.faulted() == .none)
        #expect(lenient.faults == 1)
        var strict = state(true, stopsOnFault: true)
        #expect(strict.faulted() == .stopLoops(.fault))
        #expect(strict.stop() == .none)
        #expect(strict.outcome == .fault)
    }
}
