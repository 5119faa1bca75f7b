@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import TestSupport
import Testing

/// Operators that bring several flows together.
@Suite struct CombiningTests {
    @Test func mergedFlowsCompleteAfterTheLastOfThem() {
        let (left, right) = (HandSource<Int>(), HandSource<Int>())
        let probe = FlowProbe(left.flow.merge(with: right.flow, .just(9)))
        left.emit(1)
        right.emit(2)
        left.finish()
        right.emit(3)
        #expect(probe.lines == ["9", "1", "2", "3"])
        right.finish()
        #expect(probe.lines == ["9", "1", "2", "3", "finished"])
        #expect(left.cancelled == [] && right.cancelled == [])
        #expect(FlowProbe(Flow<Int>.merge()).lines == ["finished"])
        #expect(FlowProbe(Flow.merge(.of(1, 2), .none, .just(3))).lines == ["1", "2", "3", "finished"])
    }

    @Test func theFirstFailureCancelsTheOthers() {
        let (left, right) = (HandSource<Int>(), HandSource<Int>())
        let probe = FlowProbe(.merge(left.flow, right.flow))
        left.emit(1)
        right.fail("right")
        left.emit(2)
        left.fail("left")
        #expect(probe.lines == ["1", "failed: right"])
        #expect(left.cancelled == [0])
        #expect(right.cancelled == [])
    }

    @Test func aFlowThatFailsAtOnceKeepsTheOthersFromStarting() {
        let late = HandSource<Int>()
        #expect(FlowProbe(.merge(.fail(FlowFailure("first")), late.flow)).lines == ["failed: first"])
        #expect(late.count == 0)
    }

    @Test func cancellingAMergeCancelsEachOfItsFlows() {
        let (left, right) = (HandSource<Int>(), HandSource<Int>())
        let probe = FlowProbe(.merge(left.flow, right.flow))
        left.finish()
        probe.cancel()
        right.emit(1)
        #expect(left.cancelled == [])
        #expect(right.cancelled == [0])
        #expect(probe.lines == [])
    }

    @Test func aValueThatIsEmittedWithinADeliveryComesAfterIt() {
        let (left, right) = (HandSource<Int>(), HandSource<Int>())
        let depth = Box(0)
        let flow = Flow.merge(left.flow, right.flow).map { value in
            #expect(depth.change { $0 += 1 } == 1)
            defer { depth.change { $0 -= 1 } }
            if value < 5 { right.emit(value + 1) }
            return value
        }
        let probe = FlowProbe(flow)
        left.emit(1)
        #expect(probe.values == [1, 2, 3, 4, 5])
    }

    @Test func flowsAreConcatenatedEachWhenTheOneBeforeHasCompleted() {
        let (first, second) = (HandSource<Int>(), HandSource<Int>())
        let probe = FlowProbe(first.flow.prepend(7, 8).append(second.flow).append(.just(9)))
        #expect(probe.lines == ["7", "8"])
        first.emit(1)
        #expect(second.count == 0)
        first.finish()
        #expect(first.emit(2) == .cancelled)
        second.emit(3)
        second.finish()
        #expect(probe.lines == ["7", "8", "1", "3", "9", "finished"])
        #expect(FlowProbe(Flow<Int>.concatenate([])).lines == ["finished"])
    }

    @Test func aFailureEndsAConcatenation() {
        let second = HandSource<Int>()
        #expect(FlowProbe(Flow.fail(FlowFailure("no")).append(second.flow)).lines == ["failed: no"])
        #expect(second.count == 0)
    }

    @Test func aPrefixThatEndsOneFlowCancelsItBeforeTheNextStarts() {
        let first = HandSource<Int>()
        let probe = FlowProbe(
            first.flow.prefix(1).append(
                .deferred {
                    #expect(first.cancelled == [0])
                    return .just(2)
                }))
        first.emit(1)
        #expect(probe.lines == ["1", "2", "finished"])
    }

    @Test func aHundredThousandFlowsAreConcatenatedInConstantStack() {
        let flow = Flow.concatenate((0..<100_000).map { .just($0) }).scan(0) { sum, _ in sum + 1 }
        #expect(FlowProbe(flow.filter { $0 == 100_000 }).lines == ["100000", "finished"])
    }

    @Test func flatMapMergesAndCompletesAfterAllInnerFlows() {
        let outer = HandSource<Int>()
        let inner = [HandSource<String>(), HandSource<String>()]
        let probe = FlowProbe(outer.flow.flatMap { inner[$0].flow })
        outer.emit(0, 1)
        inner[0].emit("a")
        inner[1].emit("b")
        inner[0].emit("c")
        outer.finish()
        inner[0].finish()
        #expect(probe.lines == ["a", "b", "c"])
        inner[1].emit("d")
        inner[1].finish()
        #expect(probe.lines == ["a", "b", "c", "d", "finished"])
    }

    @Test func anInnerFailureCancelsTheOuterFlowAndTheOtherInnerOnes() {
        let outer = HandSource<Int>()
        let inner = [HandSource<String>(), HandSource<String>()]
        let probe = FlowProbe(outer.flow.flatMap { inner[$0].flow })
        outer.emit(0, 1)
        inner[0].fail("inner")
        inner[1].emit("late")
        #expect(outer.emit(0) == .cancelled)
        #expect(probe.lines == ["failed: inner"])
        #expect(outer.cancelled == [0])
        #expect(inner[1].cancelled == [0])
    }

    @Test func aThrowOfTheFunctionCancelsOuterAndInnerFlows() {
        let outer = HandSource<Int>()
        let inner = HandSource<Int>()
        let probe = FlowProbe(
            outer.flow.flatMap { if $0 == 2 { throw FlowFailure("two") } else { inner.flow } })
        outer.emit(1)
        inner.emit(10)
        outer.emit(2)
        #expect(probe.lines == ["10", "failed: two"])
        #expect(outer.cancelled == [0])
        #expect(inner.cancelled == [0])
    }

    @Test func flatMapLatestCancelsTheOlderInnerFlow() {
        let outer = HandSource<Int>()
        let inner = [HandSource<String>(), HandSource<String>()]
        let probe = FlowProbe(outer.flow.flatMapLatest { inner[$0].flow })
        outer.emit(0)
        inner[0].emit("a")
        outer.emit(1)
        #expect(inner[0].cancelled == [0])
        #expect(inner[0].emit("late") == .cancelled)
        inner[0].fail("late")
        inner[1].emit("b")
        outer.finish()
        #expect(probe.lines == ["a", "b"])
        inner[1].finish()
        #expect(probe.lines == ["a", "b", "finished"])
        #expect(inner[1].cancelled == [])
    }

    @Test(arguments: [false, true])
    func aLongOuterFlowKeepsNothingOfItsInnerOnes(latest: Bool) {
        struct Held: Sendable {
            weak let scope: FlowScope?
        }
        let held = Box<[Held]>([])
        let cancelled = Box(0)
        let inner: @Sendable (Int) -> Flow<Int> = { value in
            Flow { sink in
                held.change { $0.append(Held(scope: sink.scope)) }
                sink.onCancel { cancelled.change { $0 += 1 } }
                sink.emit(value)
                sink.finish()
            }
        }
        let outer = HandSource<Int>()
        let flow = latest ? outer.flow.flatMapLatest(inner) : outer.flow.flatMap(inner)
        let probe = FlowProbe(flow.scan(0) { $0 + $1 }.filter { $0 == 4_999_950_000 })
        for value in 0..<100_000 { outer.emit(value) }
        #expect(probe.lines == ["4999950000"])
        #expect(held.value.count { $0.scope != nil } <= 1)
        probe.cancel()
        #expect(cancelled.value == 0)
    }

    @Test(arguments: 0..<20)
    func valuesFromManyThreadsAreHandedOnOneAtATimeAndNoneIsLost(seed: UInt64) async {
        let isBusy = Box(false)
        let sources = (0..<4).map { _ in HandSource<Int>() }
        let merged = Flow.merge(sources.map(\.flow))
        let flow = seed % 2 == 0 ? merged : merged.flatMap { .of($0, $0) }
        let probe = FlowProbe(
            flow.map { value in
                isBusy.change {
                    #expect(!$0)
                    $0 = true
                }
                defer { isBusy.value = false }
                return value
            })
        await withTaskGroup { group in
            for (index, source) in sources.enumerated() {
                group.addTask {
                    var random = SeededGenerator(seed: seed &* 31 &+ UInt64(index))
                    for number in 0..<500 {
                        source.emit(index * 1000 + number)
                        if Int.random(in: 0..<8, using: &random) == 0 { await Task.yield() }
                    }
                    source.finish()
                }
            }
        }
        await probe.end()
        let values = probe.values
        #expect(probe.lines.last == "finished")
        for index in 0..<4 {
            let own = values.filter { $0 / 1000 == index }.map { $0 % 1000 }
            #expect(own == (seed % 2 == 0 ? Array(0..<500) : (0..<500).flatMap { [$0, $0] }))
        }
    }

    @Test(arguments: 0..<40)
    func aMergeMayBeCancelledAtAnyPoint(point: Int) async {
        let outer = HandSource<Int>()
        let inner = (0..<4).map { _ in HandSource<Int>() }
        let probe = FlowProbe(outer.flow.flatMap { inner[$0].flow }) { probe, _ in
            if probe.values.count == point { probe.cancel() }
        }
        if point == 0 { probe.cancel() }
        await withTaskGroup { group in
            for (index, source) in inner.enumerated() where outer.emit(index) == .queued {
                group.addTask {
                    for number in 0..<20 { source.emit(number) }
                    source.finish()
                }
            }
        }
        #expect(probe.values.count == point)
        #expect(!probe.lines.contains("finished"))
        #expect(outer.cancelled == [0])
    }
}
