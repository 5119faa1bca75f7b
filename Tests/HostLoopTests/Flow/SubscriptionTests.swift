@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import HostLoopTesting
import Testing

/// Subscribing outside of loops.
@Suite struct SubscriptionTests {
    private let source = HandSource<Int>()
    private let values = Box<[Int]>([])

    private func subscribe() -> Subscription {
        let values = values
        return source.flow.sink { value in values.change { $0.append(value) } }
    }

    @Test func releasingTheLastReferenceCancels() {
        var subscription: Subscription? = subscribe()
        source.emit(1)
        #expect(subscription != nil)
        subscription = nil
        #expect(source.cancelled == [0])
        source.emit(2)
        #expect(values.value == [1])
    }

    @Test func cancellingIsIdempotentAndLeavesOthersAlone() {
        let first = subscribe()
        let second = subscribe()
        first.cancel()
        first.cancel()
        #expect(source.cancelled == [0])
        source[1].emit(1)
        source[0].emit(2)
        #expect(values.value == [1])
        #expect(first == first && first != second)
    }

    @Test func subscriptionsAreKeptInSetsAndArrays() {
        var set: Set<Subscription> = []
        var array: [Subscription] = []
        subscribe().store(in: &set)
        subscribe().store(in: &set)
        subscribe().store(in: &array)
        #expect(set.count == 2)
        #expect(source.cancelled == [])
        set = []
        #expect(source.cancelled.sorted() == [0, 1])
        array = []
        #expect(source.cancelled.sorted() == [0, 1, 2])
    }

    @Test func aCompletionIsReportedOnce() {
        let log = Box<[String]>([])
        let subscription = source.flow.sink { completion in
            log.change { $0.append("\(completion)") }
        } receiveValue: { _ in
        }
        source.fail("no")
        source.finish()
        #expect(log.value == ["failure(no)"])
        subscription.cancel()
        #expect(source.cancelled == [])
    }

    @Test func aSubscriptionToAnythingCallsItsFunctionOnce() {
        let calls = Box(0)
        var subscription: Subscription? = Subscription { calls.change { $0 += 1 } }
        subscription?.cancel()
        subscription = nil
        #expect(calls.value == 1)
    }

    @Test func theClockIsTheMachinesUnlessOneIsGiven() {
        let clocks = Box<[Bool]>([])
        let flow = Flow<Int> { sink in clocks.change { $0.append(sink.clock is ContinuousLoopClock) } }
        _ = flow.sink { _ in }
        _ = flow.sink(clock: ManualClock()) { _ in }
        #expect(clocks.value == [true, false])
    }

    @Test func theFlowOfAGear_deliversInOrderOfSubscription_untilItIsCancelled() {
        let gear = Gear<Int>(replaying: 1)
        gear.propagate(event: 0)
        let log = Box<[String]>([])
        let first = FlowProbe(gear.flow) { _, value in log.change { $0.append("a\(value)") } }
        let second = FlowProbe(gear.flow) { probe, value in
            log.change { $0.append("b\(value)") }
            if value == 1 {
                probe.cancel()
                gear.propagate(event: 2)
            }
        }
        gear.propagate(event: 1)
        #expect(log.value == ["a0", "b0", "a1", "b1", "a2"])
        #expect(first.lines == ["0", "1", "2"])
        #expect(second.lines == ["0", "1"])
        #expect(FlowProbe(gear.flow).lines == ["2"])
        #expect(gear.count == 1)
    }
}
