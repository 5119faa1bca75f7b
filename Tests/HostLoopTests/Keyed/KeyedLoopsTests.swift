import HostLoop
import HostLoopTesting
import Testing

/// How loops by key are made, and how one of them ends.
@Suite struct KeyedLoopsTests {
    @Test func theFirstEventOfAKeyMakesItsLoop() {
        let loops = Keyed.loops()
        #expect(loops.state(of: "abc") == nil)
        #expect(loops.emit(4, to: "abc") == .queued)
        #expect(loops.emit(5, to: "") == .queued)
        #expect(loops.emit(1, to: "abc") == .queued)
        #expect(loops.state(of: "abc") == 8)
        #expect(loops.state(of: "") == 5)
        #expect(loops.counters(of: "abc")?.steps == 2)
        #expect(loops.count == 2)
        #expect(loops.counters.made == 2)
    }

    @Test func aLoopDeliversItsInitialStateBeforeItsFirstEvent() {
        let log = Counting.Log()
        let loops = Keyed.loops(observers: { $0 == "abc" ? [log] : [] })
        loops.emit(4, to: "abc")
        loops.emit(4, to: "x")
        #expect(log.lines == ["started 3", "step 1 4: 3 to 7", "quiescent"])
    }

    @Test func aPerformedEventMakesALoop() {
        let loops = Keyed.loops()
        #expect(loops.perform(4, on: "abc") == .queued)
        #expect(loops.state(of: "abc") == 7)
    }

    @Test func aSentEventMakesALoop() async {
        let loops = Keyed.loops(mailbox: .bounded(1))
        #expect(await loops.send(4, to: "abc") == .queued)
        #expect(loops.state(of: "abc") == 7)
    }

    @Test func onlySomeEventsMakeALoop() {
        let loops = Keyed.loops(creates: { $0 == 1 })
        #expect(loops.emit(2, to: "a") == .absent)
        #expect(loops.perform(2, on: "a") == .absent)
        #expect(loops.emit(1, to: "a") == .queued)
        #expect(loops.emit(2, to: "a") == .queued)
        #expect(loops.state(of: "a") == 4)
        #expect(loops.counters.refusedAsAbsent == 2)
    }

    // MARK: - The end of a loop

    @Test func aKeyBeginsAgainAfterTheEnd() {
        let loops = Keyed.loops()
        loops.emit(100, to: "a")
        #expect(loops.state(of: "a") == nil)
        #expect(loops.count == 0)
        loops.emit(1, to: "a")
        #expect(loops.state(of: "a") == 2)
        #expect(loops.counters.made == 2)
        #expect(loops.counters.stopped == 1)
    }

    @Test func aLoopMayEndWithItsInitialState() async {
        let long = String(repeating: "x", count: 100)
        let log = Counting.Log()
        let loops = Keyed.loops(observers: { _ in [log] })
        #expect(loops.emit(1, to: long) == .queued)
        #expect(log.lines == ["started 100", "stopped: until"])
        #expect(loops.count == 0)
        #expect(await loops.send(1, to: long) == .queued)
        #expect(loops.perform(1, on: long) == .queued)
        #expect(loops.counters.made == 3)
        #expect(loops.counters.stopped == 3)
        // A performed event is reduced at once; the others were still queued.
        #expect(loops.counters.discarded == 2)
    }

    @Test func aLoopMayStopItselfInItsFirstEffect() {
        let loops = KeyedLoops<String, Int, Int>(
            startingFrom: \.count,
            spin: { emitter in
                Counting.spin(
                    .onState("stop") { _ in
                        emitter.stop("a")
                        return nil
                    })
            })
        #expect(loops.emit(1, to: "a") == .queued)
        #expect(loops.perform(1, on: "a") == .queued)
        #expect(loops.count == 0)
        #expect(loops.counters.made == 2)
    }

    @Test func theLastStateIsKeptForATime() {
        let clock = ManualClock()
        let loops = Keyed.loops(keep: .seconds(10), clock: clock)
        loops.emit(100, to: "a")
        clock.advance(by: .seconds(4))
        loops.emit(200, to: "b")
        #expect(loops.state(of: "a") == 101)
        #expect(loops.count == 0)
        #expect(loops.counters.kept == 2)
        clock.advance(by: .seconds(6))
        #expect(loops.state(of: "a") == nil)
        #expect(loops.state(of: "b") == 201)
        clock.advance(by: .seconds(4))
        #expect(loops.state(of: "b") == nil)
        #expect(clock.timerCount == 0)
    }

    @Test func aKeyThatBeginsAgainHasItsNewState() {
        let clock = ManualClock()
        let loops = Keyed.loops(keep: .seconds(10), clock: clock)
        loops.emit(100, to: "a")
        clock.advance(by: .seconds(5))
        loops.emit(1, to: "a")
        #expect(loops.state(of: "a") == 2)
        #expect(loops.counters.kept == 0)
        loops.emit(150, to: "a")
        // The time of the first state is over, that of the second is not.
        clock.advance(by: .seconds(6))
        #expect(loops.state(of: "a") == 152)
        clock.advance(by: .seconds(4))
        #expect(loops.state(of: "a") == nil)
    }

    @Test func aStoppedLoopIsNotKept() {
        let loops = Keyed.loops(keep: .seconds(10))
        loops.emit(1, to: "a")
        #expect(loops.stop("a"))
        #expect(!loops.stop("a"))
        #expect(loops.state(of: "a") == nil)
        #expect(loops.counters.kept == 0)
        loops.emit(1, to: "a")
        #expect(loops.state(of: "a") == 2)
    }

    @Test func aStopDropsAKeptState() {
        let loops = Keyed.loops(keep: .seconds(10))
        loops.emit(100, to: "a")
        #expect(!loops.stop("a"))
        #expect(loops.state(of: "a") == nil)
        #expect(loops.counters.kept == 0)
    }
}
