import HostLoop
import HostLoopFlow
import TestSupport
import Testing

/// One subscription for many subscribers.
@Suite(.timeLimit(.minutes(10))) struct SharingTests {
    private let source = HandSource<Int>()

    @Test func theFirstSubscriberStartsTheSourceAndTheEndOfTheLastCancelsIt() {
        let shared = source.flow.share()
        #expect(source.count == 0)
        let first = FlowProbe(shared)
        source.emit(1)
        let second = FlowProbe(shared)
        source.emit(2)
        first.cancel()
        #expect(source.cancelled == [])
        source.emit(3)
        second.cancel()
        #expect(source.count == 1)
        #expect(source.cancelled == [0])
        #expect(first.lines == ["1", "2"])
        #expect(second.lines == ["2", "3"])
        let third = FlowProbe(shared)
        #expect(source.count == 2)
        source.emit(4)
        #expect(third.lines == ["4"])
    }

    @Test func theNewestValuesAreReplayed() {
        let shared = source.flow.share(replaying: 2)
        let first = FlowProbe(shared)
        source.emit(1, 2, 3)
        #expect(FlowProbe(shared).lines == ["2", "3"])
        #expect(first.lines == ["1", "2", "3"])
    }

    @Test func aCompletionReachesAllAndTheNextSubscriberStartsAgain() {
        let shared = source.flow.share(replaying: 1)
        let (first, second) = (FlowProbe(shared), FlowProbe(shared))
        source.emit(1)
        source.fail("source")
        #expect(first.lines == ["1", "failed: source"])
        #expect(second.lines == ["1", "failed: source"])
        let third = FlowProbe(shared)
        #expect(source.count == 2)
        source.emit(2)
        #expect(third.lines == ["2"])
    }

    @Test func aSynchronousSourceIsSharedByNobody() {
        let starts = Box(0)
        let shared = Flow.of(1, 2).onStart { starts.change { $0 += 1 } }.share()
        #expect(FlowProbe(shared).lines == ["1", "2", "finished"])
        #expect(FlowProbe(shared.prefix(1)).lines == ["1", "finished"])
        #expect(starts.value == 2)
    }

    @Test func subscribersThatComeAndGoOnManyThreadsLeaveNothingBehind() async {
        let (starts, ends) = (Box(0), Box(0))
        let gear = Gear<Int>(replaying: 1)
        gear.propagate(event: 1)
        let shared = gear.flow.onStart { starts.change { $0 += 1 } }.onEnd { ends.change { $0 += 1 } }.share()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<300 { shared.sink { _ in }.cancel() } }
            }
        }
        #expect(starts.value > 0)
        #expect(starts.value == ends.value)
        #expect(gear.count == 0)
    }
}
