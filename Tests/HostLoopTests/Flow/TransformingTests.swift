@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import Testing

/// Operators that make at most one value of each.
@Suite struct TransformingTests {
    @Test func eachOperatorMakesWhatItsNameSays() {
        let numbers = Flow.of(1, 2, 2, 3, 4, 4, 1)
        #expect(FlowProbe(numbers.map { $0 * 10 }).values == [10, 20, 20, 30, 40, 40, 10])
        #expect(FlowProbe(numbers.filter { $0 % 2 == 0 }).values == [2, 2, 4, 4])
        #expect(FlowProbe(numbers.compactMap { $0 > 2 ? "\($0)" : nil }).values == ["3", "4", "4"])
        #expect(FlowProbe(numbers.scan(0) { $0 + $1 }).values == [1, 3, 5, 8, 12, 16, 17])
        #expect(FlowProbe(numbers.removeDuplicates()).values == [1, 2, 3, 4, 1])
        #expect(FlowProbe(numbers.removeDuplicates { $0 % 2 == $1 % 2 }).values == [1, 2, 3, 4, 1])
        #expect(FlowProbe(numbers.dropFirst()).values == [2, 2, 3, 4, 4, 1])
        #expect(FlowProbe(numbers.dropFirst(9)).lines == ["finished"])
        #expect(FlowProbe(numbers.prefix(2)).lines == ["1", "2", "finished"])
        #expect(FlowProbe(numbers.prefix(9)).values == [1, 2, 2, 3, 4, 4, 1])
    }

    @Test func everythingStartsAgainWithEachSubscription() {
        let calls = Box(0)
        let flow = Flow.of(1, 2, 2, 3)
            .onValue { _ in calls.change { $0 += 1 } }
            .removeDuplicates().scan(0) { $0 + $1 }.dropFirst(1).prefix(2)
        #expect(calls.value == 0)
        #expect(FlowProbe(flow).lines == ["3", "6", "finished"])
        #expect(FlowProbe(flow).lines == ["3", "6", "finished"])
        #expect(calls.value == 8)
    }

    @Test func prefixCompletesWithItsLastValueAndCancelsItsSource() {
        let source = HandSource<Int>()
        let probe = FlowProbe(source.flow.prefix(2))
        source.emit(1)
        #expect(probe.lines == ["1"])
        source.emit(2)
        #expect(probe.lines == ["1", "2", "finished"])
        #expect(source.cancelled == [0])
        #expect(source.emit(3) == .cancelled)
        source.finish()
        #expect(probe.lines == ["1", "2", "finished"])
    }

    @Test func thePrefixOfNothingDoesNotSubscribe() {
        let source = HandSource<Int>()
        #expect(FlowProbe(source.flow.prefix(0)).lines == ["finished"])
        #expect(source.count == 0)
    }

    @Test func aFunctionThatThrowsFailsTheFlowAndCancelsItsSource() {
        let failing: [@Sendable (Flow<Int>) -> Flow<Int>] = [
            { $0.map { if $0 == 2 { throw FlowFailure("two") } else { $0 } } },
            { $0.filter { if $0 == 2 { throw FlowFailure("two") } else { true } } },
            { $0.compactMap { if $0 == 2 { throw FlowFailure("two") } else { $0 } } },
            { $0.scan(0) { if $1 == 2 { throw FlowFailure("two") } else { $1 } } },
            { $0.removeDuplicates { if $1 == 2 { throw FlowFailure("two") } else { $0 == $1 } } },
            { $0.onValue { if $0 == 2 { throw FlowFailure("two") } } },
        ]
        for fail in failing {
            let source = HandSource<Int>()
            let probe = FlowProbe(fail(source.flow))
            source.emit(1, 2, 3)
            #expect(probe.lines == ["1", "failed: two"])
            #expect(source.cancelled == [0])
        }
    }

    @Test func aFailurePassesThrough() {
        let source = HandSource<Int>()
        let probe = FlowProbe(source.flow.map { $0 }.dropFirst().prefix(3).removeDuplicates())
        source.emit(1, 2)
        source.fail("broken")
        source.emit(3)
        #expect(probe.lines == ["2", "failed: broken"])
        #expect(source.cancelled == [])
    }

    @Test func whatASourceSaysAfterItsEndIsDropped() {
        let source = HandSource<Int>()
        let probe = FlowProbe(source.flow)
        source.emit(1)
        source.finish()
        #expect(source.emit(2) == .cancelled)
        source.fail("late")
        source.finish()
        #expect(probe.lines == ["1", "finished"])
    }

    @Test func aReceiverMayCancelWithinAValue() {
        let source = HandSource<Int>()
        let probe = FlowProbe(source.flow.map { $0 }.filter { _ in true }) { probe, value in
            if value == 2 { probe.cancel() }
        }
        #expect(source.emit(1) == .queued)
        source.emit(2)
        #expect(source.emit(3) == .cancelled)
        source.finish()
        #expect(probe.lines == ["1", "2"])
        #expect(source.cancelled == [0])
    }

    @Test func aSynchronousSourceStopsWhenItsReceiverCancels() {
        let calls = Box(0)
        let flow = Flow.from(1...1_000_000).onValue { _ in calls.change { $0 += 1 } }.prefix(3)
        #expect(FlowProbe(flow).lines == ["1", "2", "3", "finished"])
        #expect(calls.value == 3)
    }

    @Test func aFinishedSubscriptionReleasesEverythingThoughItsHandleIsKept() {
        final class Token: Sendable {}
        var token: Token? = Token()
        weak let held = token
        let source = HandSource<Int>()
        let probe = FlowProbe(
            source.flow.map { [token] in ($0, token) }.map(\.0).scan(0) { $0 + $1 }.prefix(2))
        token = nil
        source.emit(1)
        #expect(held != nil)
        source.emit(2)
        source.forget()
        #expect(held == nil)
        #expect(probe.values == [1, 3])
    }

    @Test func aCancelledSubscriptionReleasesEverything() {
        final class Token: Sendable {}
        var token: Token? = Token()
        weak let held = token
        let gear = Gear<Int>()
        let probe = FlowProbe(gear.flow.map { [token] in ($0, token) }.map(\.0))
        token = nil
        gear.propagate(event: 1)
        #expect(held != nil)
        probe.cancel()
        #expect(held == nil)
        gear.propagate(event: 2)
        #expect(probe.values == [1])
    }
}
