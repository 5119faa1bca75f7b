@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import HostLoopTesting
import Testing

/// How flows go on after failures. Rule 12.
@Suite struct FlowFailureTests {
    private let source = HandSource<Int>()

    @Test func catchContinuesWithAnotherFlow() {
        let probe = FlowProbe(source.flow.catch { .of("\($0)".count, 9) })
        source.emit(1)
        source.fail("four")
        #expect(probe.lines == ["1", "4", "9", "finished"])
        #expect(source.emit(2) == .cancelled)
    }

    @Test func catchLeavesAFlowAloneThatDoesNotFail() {
        let probe = FlowProbe(source.flow.replaceError(with: 0))
        source.emit(1)
        source.finish()
        #expect(probe.lines == ["1", "finished"])
    }

    @Test func catchDoesNotCatchWhatItBrings() {
        #expect(
            FlowProbe(Flow<Int>.fail(FlowFailure("a")).catch { _ in .fail(FlowFailure("b")) }).lines
                == ["failed: b"])
        #expect(
            FlowProbe(Flow<Int>.fail(FlowFailure("a")).catch { _ in throw FlowFailure("c") }).lines
                == ["failed: c"])
        #expect(FlowProbe(Flow.fail(FlowFailure("a")).replaceError(with: 5)).lines == ["5", "finished"])
    }

    @Test func retrySubscribesAgainAndFailsWithTheLastFailure() {
        let probe = FlowProbe(source.flow.retry(2))
        source.emit(1)
        source.fail("a")
        source.emit(2)
        source.fail("b")
        #expect(source.count == 3)
        source.fail("c")
        #expect(source.count == 3)
        #expect(probe.lines == ["1", "2", "failed: c"])
    }

    @Test func retryEndsWithTheFirstSuccess() {
        let probe = FlowProbe(source.flow.retry(2))
        source.fail("a")
        source.emit(1)
        source.finish()
        #expect(source.count == 2)
        #expect(probe.lines == ["1", "finished"])
    }

    @Test func retryWaitsOnTheClock() {
        let clock = ManualClock()
        let probe = FlowProbe(source.flow.retry(3) { .seconds($0 * $0) }, clock: clock)
        var waited: [Int] = []
        for _ in 0..<3 {
            let attempts = source.count
            source.fail("no")
            var seconds = 0
            while source.count == attempts {
                clock.advance(by: .seconds(1))
                seconds += 1
            }
            waited.append(seconds)
        }
        #expect(waited == [1, 4, 9])
        source.fail("last")
        #expect(probe.lines == ["failed: last"])
        #expect(clock.timerCount == 0)
    }

    @Test func aFlowThatFailsAtOnceIsRetriedAHundredThousandTimesInConstantStack() {
        let attempts = Box(0)
        let flow = Flow<Int>.deferred {
            attempts.change { $0 += 1 }
            throw FlowFailure("no")
        }
        #expect(FlowProbe(flow.retry(100_000)).lines == ["failed: no"])
        #expect(attempts.value == 100_001)
    }

    @Test func cancellingBetweenTwoAttemptsEndsThem() {
        let probe = FlowProbe(source.flow.retry(5)) { probe, _ in probe.cancel() }
        source.emit(1)
        source.fail("a")
        #expect(source.count == 1)
        #expect(source.cancelled == [0])
        #expect(probe.lines == ["1"])
    }

    @Test func aFailedAttemptLeavesNothingBehind() {
        struct Held: Sendable {
            weak let scope: FlowScope?
        }
        let held = Box<[Held]>([])
        let flow = Flow<Int> { sink in
            held.change { $0.append(Held(scope: sink.scope)) }
            sink.fail(FlowFailure("no"))
        }
        let probe = FlowProbe(flow.retry(1000).append(.never))
        #expect(probe.lines == ["failed: no"])
        let waiting = FlowProbe(flow.retry(1000).catch { _ in .never })
        #expect(waiting.lines == [])
        #expect(held.value.count == 2002)
        #expect(held.value.allSatisfy { $0.scope == nil })
    }
}
