@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import Testing

/// Cancelling flows by an id that belongs to one loop.
@Suite struct FlowCancellationTests {
    private let source = HandSource<Int>()
    private let log = Counting.Log()

    private func loop(_ effect: @escaping @Sendable (Int) -> Flow<Int>) -> Loop<Int, Int> {
        Counting.spin(.onEvent("a", strategy: .continueOnNewState, flow: { _, event in effect(event) }))
            .start(observers: [log])
    }

    @Test func aFlowCancelledByItsIDCompletesQuietlyForItsRun() {
        let source = source
        let loop = loop { $0 == 1 ? source.flow.map { $0 * 2 }.cancellable(id: "load") : .none }
        loop.emit(1)
        source.emit(2)
        loop.cancel(id: "other")
        #expect(source.cancelled == [])
        loop.cancel(id: "load")
        #expect(source.cancelled == [0])
        #expect(source.emit(3) == .cancelled)
        source.fail("late")
        #expect(loop.state == 5)
        #expect(log.lines("end").contains("end a 1"))
        #expect(log.lines("cancel") == [])
        #expect(loop.counters.faults == 0 && loop.counters.late == 0)
        loop.cancel(id: "load")
    }

    @Test func idsBelongToOneLoop() {
        let source = source
        let spin = Counting.spin(
            .onEvent(flow: { _, event in event == 1 ? source.flow.cancellable(id: 7) : .none }))
        let (first, second) = (spin.start(), spin.start())
        first.emit(1)
        second.emit(1)
        second.emitter.cancel(id: 7)
        #expect(source.cancelled == [1])
        source[0].emit(5)
        #expect(first.state == 6)
        #expect(second.state == 1)
    }

    @Test func aFlowMayCancelOthersAndAnEffectMayBeThatAlone() {
        let source = source
        let loop = loop {
            switch $0 {
            case 1: source.flow.cancellable(id: "load")
            case 2: .cancel(id: "load")
            default: .none
            }
        }
        loop.emit(1)
        loop.emit(1)
        #expect(source.cancelled == [])
        loop.emit(2)
        #expect(source.cancelled == [0, 1])
        loop.emit(1)
        #expect(source.cancelled == [0, 1])
        source.emit(10)
        #expect(loop.state == 15)
    }

    @Test func cancelInFlightLeavesTheNewestAlone() {
        let source = source
        let loop = loop { $0 == 1 ? source.flow.cancellable(id: "load", cancelInFlight: true) : .none }
        for _ in 0..<3 { loop.emit(1) }
        #expect(source.cancelled == [0, 1])
        source.emit(10)
        #expect(loop.state == 13)
    }

    @Test func idsOfDifferentTypesDiffer() {
        let source = source
        let loop = loop { _ in source.flow.cancellable(id: 1) }
        loop.emit(1)
        loop.cancel(id: 1 as UInt8)
        loop.cancel(id: 1.0)
        loop.cancel(id: Int?.some(1))
        #expect(source.cancelled == [])
        loop.cancel(id: 1)
        #expect(source.cancelled == [0])
    }

    private struct Colliding: Hashable {
        var name: String
        var compared: @Sendable () -> Void = {}

        static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.compared()
            rhs.compared()
            return lhs.name == rhs.name
        }

        func hash(into hasher: inout Hasher) {}
    }

    @Test func idsAreComparedOutsideOfEveryLock() {
        let source = source
        let loop = loop { $0 < 3 ? source.flow.cancellable(id: Colliding(name: "\($0)")) : .none }
        loop.emit(1)
        loop.emit(2)
        let emitter = loop.emitter
        loop.cancel(
            id: Colliding(name: "2") {
                emitter.emit(5)
                emitter.cancel(id: Colliding(name: "nothing"))
            })
        #expect(source.cancelled == [1])
        source[0].emit(100)
        #expect(loop.state == 113)
    }

    @Test func aReceiverMayCancelItselfWithinAValue() {
        let gear = Gear<Int>()
        let loop = loop { event in
            switch event {
            case 1: gear.flow.cancellable(id: "hub")
            case 3: .cancel(id: "hub")
            default: .none
            }
        }
        loop.emit(1)
        for value in 2...5 { gear.propagate(event: value) }
        #expect(loop.state == 6)
    }

    @Test func aFlowThatHasEndedLeavesNothingUnderItsID() {
        final class Token: Sendable {}
        var token: Token? = Token()
        weak let held = token
        let source = source
        let loop = loop { [token] in
            $0 == 1 ? source.flow.map { [token] in (token, $0).1 }.cancellable(id: "load") : .none
        }
        loop.emit(1)
        loop.emit(1)
        token = nil
        source[0].finish()
        source[1].fail(Counting.Failure())
        #expect(loop.core.cancellationIDs.isEmpty)
        loop.emit(1)
        #expect(!loop.core.cancellationIDs.isEmpty)
        source.forget()
        #expect(held != nil)
        let core = loop.core
        loop.stop()
        #expect(core.cancellationIDs.isEmpty)
    }

    @Test func anIdleLoopHasNoLedgerForIDs() {
        let loop = loop { _ in .none }
        loop.cancel(id: 1)
        #expect(loop.core.inbox.withLock { !$0.hasExtras })
    }

    @Test func outsideOfLoopsIDsBelongToOneSubscription() {
        let (left, right) = (HandSource<Int>(), HandSource<Int>())
        let first = FlowProbe(
            .merge(left.flow.cancellable(id: 1), right.flow.flatMap { _ in .cancel(id: 1) }))
        let second = FlowProbe(left.flow.cancellable(id: 1))
        right.emit(0)
        #expect(left.cancelled == [0])
        right.finish()
        #expect(first.lines == ["finished"])
        #expect(second.lines == [])
    }
}
