@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import TestSupport
import Testing

/// How `send` waits through operators for room at the end of a flow. Rule 11.
@Suite struct FlowRoomTests {
    private let end = CrowdedSink<Int>()

    @Test func sendWaitsThroughEveryOperatorThatKeepsNothing() async {
        let sent = Box(0)
        let flow = Flow.run { send in
            for value in 1...3 {
                await send(value)
                sent.change { $0 += 1 }
            }
        }
        .map { $0 }.filter { _ in true }.scan(0) { $0 + $1 }.retry(1).append(.none).prefix(9)
        .merge(with: .none).timeout(after: .seconds(1)).cancellable(id: 1)
        flow.start(end)
        for count in 1...3 {
            await end.arrived(count)
            #expect(sent.value == count - 1)
            #expect(end.lines.count == count - 1)
            end.makeRoom()
        }
        await end.ended()
        #expect(end.lines == ["1", "3", "6", "finished"])
    }

    @Test func whatIsEmittedWhileATaskWaitsForRoomComesAfterItsValue() async {
        let source = HandSource<Int>()
        Flow.merge(.run { await $0.send(1) }, .run { await $0.send(1) }, source.flow).start(end)
        await end.arrived(1)
        #expect(source.emit(5, 6) == .queued)
        #expect(end.lines == [])
        end.makeRoom()
        await end.arrived(2)
        end.makeRoom()
        source.finish()
        await end.ended()
        #expect(end.lines.filter { $0 == "1" }.count == 2)
        #expect(end.lines.first == "1")
        #expect(end.lines.firstIndex(of: "5").map { end.lines[$0 + 1] } == "6")
        #expect(end.lines.last == "finished")
    }

    @Test func innerFlowsThatSendTakeTurns() async {
        let sent = Box(0)
        let flow = Flow.of(10, 20, 30).flatMap { base in
            .run { send in
                for value in 1...2 {
                    await send(base + value)
                    sent.change { $0 += 1 }
                }
            }
        }
        flow.start(end)
        for count in 1...6 {
            await end.arrived(count)
            #expect(end.lines.count == count - 1)
            end.makeRoom()
        }
        await end.ended()
        #expect(Set(end.lines) == ["11", "12", "21", "22", "31", "32", "finished"])
        #expect(sent.value == 6)
        for base in 1...3 {
            let first = end.lines.firstIndex(of: "\(base)1") ?? 9
            #expect(first < end.lines.firstIndex(of: "\(base)2") ?? 0)
        }
    }

    @Test func whatAReplacedFlowEmittedIsDroppedUnlessItWasBeingHandedOver() async {
        let outer = HandSource<Int>()
        let inner = HandSource<Int>()
        let flow = outer.flow.flatMapLatest { value -> Flow<Int> in
            switch value {
            case 1: .run { await $0.send(1) }
            case 2: inner.flow
            default: .just(3)
            }
        }
        flow.start(end)
        outer.emit(1)
        await end.arrived(1)
        outer.emit(2)
        #expect(inner.emit(7) == .queued)
        outer.emit(3)
        outer.finish()
        #expect(end.lines == [])
        end.makeRoom()
        await end.ended()
        #expect(end.lines == ["1", "3", "finished"])
    }

    @Test func valuesBesideATaskThatWaitsForRoom_takeNoMoreMemoryThanTheMailbox() async {
        let hand = HandSource<Int>()
        let (isReducing, mayReduce) = (Gate(), Gate())
        let sends = AsyncGate()
        let loop = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { state, event in
                if state == 0 {
                    isReducing.open()
                    mayReduce.pass()
                }
                state += event
                return true
            },
            feedbacks: [
                .always(
                    source: {
                        Flow.merge(
                            .run { send in
                                await sends.wait()
                                // The first fills the mailbox, the second waits for room.
                                await send(1)
                                await send(1)
                            }, hand.flow)
                    })
            ], mailbox: .bounded(1)
        ).start()
        loop.emit(1)
        isReducing.pass()
        sends.open()
        await waitUntil { loop.core.inbox.withLock { !$0.room.waits.waiters.isEmpty } }
        var answers: [EmitResult: Int] = [:]
        for _ in 0..<1000 { answers[hand.emit(1), default: 0] += 1 }
        #expect(answers == [.queued: 1, .full: 999])
        #expect(loop.counters.dropped == 999)
        mayReduce.open()
        loop.stop()
        await loop.ended.wait()
    }
}
