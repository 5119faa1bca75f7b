import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import HostLoopTesting
import Testing

/// Sources and operators that take their time from the clock. Rule 13.
@Suite struct FlowTimeTests {
    private let clock = ManualClock()
    private let source = HandSource<Int>()

    private func probe(_ flow: Flow<Int>) -> FlowProbe<Int> { FlowProbe(flow, clock: clock) }
    private func advance(_ milliseconds: Int) { clock.advance(by: .milliseconds(milliseconds)) }

    @Test func aDelayMovesValuesAndTheEndInTheirOrder() {
        let probe = probe(source.flow.delay(for: .milliseconds(10)))
        source.emit(1, 2)
        advance(4)
        source.emit(3)
        source.finish()
        advance(5)
        #expect(probe.lines == [])
        advance(1)
        #expect(probe.lines == ["1", "2"])
        advance(4)
        #expect(probe.lines == ["1", "2", "3", "finished"])
        #expect(clock.timerCount == 0)
    }

    @Test func aDelayMovesAFailureToo() {
        let probe = probe(source.flow.delay(for: .milliseconds(10)))
        source.emit(1)
        source.fail("broken")
        #expect(probe.lines == [])
        advance(10)
        #expect(probe.lines == ["1", "failed: broken"])
    }

    @Test func aDelayAfterAPrefixCancelsTheSourceAtOnce() {
        let probe = probe(source.flow.prefix(1).delay(for: .milliseconds(10)))
        source.emit(1)
        #expect(source.cancelled == [0])
        advance(10)
        #expect(probe.lines == ["1", "finished"])
    }

    @Test func cancellingTakesTheTimersBack() {
        let flows: [Flow<Int>] = [
            source.flow.delay(for: .seconds(1)), source.flow.debounce(for: .seconds(1)),
            source.flow.throttle(for: .seconds(1)), source.flow.timeout(after: .seconds(1)),
            .timer(after: .seconds(1), 1), .every(.seconds(1), 1),
            Flow.fail(FlowFailure("no")).retry(3) { _ in .seconds(1) },
        ]
        for flow in flows {
            let probe = probe(flow)
            if source.count > 0 { source.emit(1) }
            #expect(clock.timerCount == 1)
            probe.cancel()
            #expect(clock.timerCount == 0)
            let before = probe.lines
            advance(5000)
            #expect(probe.lines == before)
        }
        #expect(source.cancelled == [0, 1, 2, 3])
    }

    @Test func aTimerEmitsOnceAndCompletes() {
        let probe = probe(.timer(after: .milliseconds(10), 7))
        advance(9)
        #expect(probe.lines == [])
        advance(1)
        #expect(probe.lines == ["7", "finished"])
    }

    @Test func ticksAreReckonedFromOneAnotherNotFromTheirCalls() {
        let instants = Box<[Int64]>([])
        let clock = clock
        let probe = FlowProbe(Flow.every(.milliseconds(10), 1), clock: clock) { _, _ in
            instants.change { $0.append(clock.now.nanoseconds / 1_000_000) }
        }
        for _ in 0..<7 { advance(6) }
        #expect(instants.value == [10, 20, 30, 40])
        probe.cancel()
        advance(100)
        #expect(instants.value == [10, 20, 30, 40])
    }

    @Test func aReceiverMayEndTheTicksWithinOne() {
        let probe = probe(Flow.every(.milliseconds(10), 1).scan(0) { $0 + $1 }.prefix(3))
        advance(100)
        #expect(probe.lines == ["1", "2", "3", "finished"])
        #expect(clock.timerCount == 0)
    }

    @Test func debounceHandsOverWhatNothingFollowedForSoLong() {
        let probe = probe(source.flow.debounce(for: .milliseconds(10)))
        source.emit(1)
        advance(6)
        source.emit(2)
        advance(6)
        source.emit(3)
        #expect(clock.timerCount == 1)
        advance(9)
        #expect(probe.lines == [])
        advance(1)
        #expect(probe.lines == ["3"])
        #expect(clock.timerCount == 0)
        source.emit(4)
        advance(10)
        source.emit(5)
        source.finish()
        #expect(probe.lines == ["3", "4", "5", "finished"])
        #expect(clock.timerCount == 0)
    }

    @Test func aFailureDropsWhatWaits() {
        for flow in [
            source.flow.debounce(for: .milliseconds(10)), source.flow.throttle(for: .milliseconds(10)),
        ] {
            let probe = probe(flow)
            source.emit(1)
            source.emit(2)
            source.fail("broken")
            advance(100)
            #expect(probe.lines.suffix(1) == ["failed: broken"])
            #expect(!probe.lines.contains("2"))
        }
    }

    @Test func throttleHandsOverOneAtOnceAndTheNewestLater() {
        let probe = probe(source.flow.throttle(for: .milliseconds(10)))
        source.emit(1, 2)
        advance(3)
        source.emit(3)
        #expect(probe.lines == ["1"])
        advance(7)
        #expect(probe.lines == ["1", "3"])
        source.emit(4)
        advance(10)
        #expect(probe.lines == ["1", "3", "4"])
        advance(10)
        #expect(clock.timerCount == 0)
        source.emit(5, 6)
        source.finish()
        #expect(probe.lines == ["1", "3", "4", "5", "6", "finished"])
        #expect(clock.timerCount == 0)
    }

    @Test func throttleMayKeepTheFirstOfTheOthers() {
        let probe = probe(source.flow.throttle(for: .milliseconds(10), latest: false))
        source.emit(1, 2, 3)
        advance(10)
        #expect(probe.lines == ["1", "2"])
    }

    @Test func aTimeoutFailsAndCancelsItsSourceWhenNothingComes() {
        let probe = probe(source.flow.timeout(after: .milliseconds(10)))
        advance(9)
        source.emit(1)
        advance(9)
        #expect(probe.lines == ["1"])
        #expect(source.cancelled == [])
        advance(1)
        #expect(probe.lines == ["1", "failed: the flow emitted no value for 0.01 seconds"])
        #expect(source.cancelled == [0])
        #expect(source.emit(2) == .cancelled)
    }

    @Test func aFlowThatEndsInTimeTakesItsTimeoutBack() {
        let probe = probe(source.flow.timeout(after: .milliseconds(10)))
        source.finish()
        #expect(clock.timerCount == 0)
        advance(100)
        #expect(probe.lines == ["finished"])
        #expect(FlowProbe(Flow.just(1).timeout(after: .zero), clock: clock).lines == ["1", "finished"])
    }

    @Test func theErrorOfATimeoutNamesItsDuration() {
        let error = FlowTimeout(duration: .seconds(2))
        #expect("\(error)" == "the flow emitted no value for 2.0 seconds")
        #expect(error == FlowTimeout(duration: .milliseconds(2000)))
    }

    @Test func aReceiverMayFeedADebouncedSourceWithinAValue() {
        let source = source
        let probe = FlowProbe(source.flow.debounce(for: .milliseconds(10)), clock: clock) { _, value in
            if value < 3 { source.emit(value + 1) }
        }
        source.emit(1)
        advance(100)
        #expect(probe.values == [1, 2, 3])
    }

    @Test func theValueThatIsHandedOverWhileTheSourceFinishesIsNotLost() {
        let source = source
        let schedules = Box(0)
        // Throttle asks for its second timer when it is about to hand over what has waited for the first.
        let finishing = HookedClock(clock) { if schedules.change({ $0 += 1 }) == 2 { source.finish() } }
        let probe = FlowProbe(source.flow.throttle(for: .milliseconds(10)), clock: finishing)
        source.emit(1, 2)
        advance(10)
        #expect(probe.lines == ["1", "2", "finished"])
    }
}

/// A clock that calls a function before it schedules.
private final class HookedClock: LoopClock {
    private let clock: ManualClock
    private let hook: @Sendable () -> Void

    init(_ clock: ManualClock, hook: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.hook = hook
    }

    var now: LoopInstant { clock.now }

    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        hook()
        return clock.schedule(at: instant, action)
    }
}
