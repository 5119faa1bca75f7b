import HostLoop
import HostLoopFlow
import TestSupport
import Testing

/// Operators that pair the values of two flows.
@Suite struct PairingTests {
    private let left = HandSource<Int>()
    private let right = HandSource<String>()

    @Test func theNewestValuesAreCombined() {
        let probe = FlowProbe(left.flow.combineLatest(right.flow).map { "\($0)\($1)" })
        left.emit(1, 2)
        right.emit("a")
        right.emit("b")
        left.emit(3)
        left.finish()
        right.emit("c")
        right.finish()
        #expect(probe.lines == ["2a", "2b", "3b", "3c", "finished"])
    }

    @Test func valuesAreZippedInOrder() {
        let probe = FlowProbe(left.flow.zip(right.flow).map { "\($0)\($1)" })
        left.emit(1, 2, 3)
        right.emit("a", "b")
        left.finish()
        #expect(probe.lines == ["1a", "2b"])
        right.emit("c")
        #expect(probe.lines == ["1a", "2b", "3c", "finished"])
        #expect(right.cancelled == [0])
    }

    @Test func aZipEndsWithTheShorterFlow() {
        #expect(FlowProbe(Flow.of(1, 2).zip(.of(7, 8, 9)).map(+)).lines == ["8", "10", "finished"])
        #expect(FlowProbe(Flow<Int>.none.zip(right.flow).map(\.0)).lines == ["finished"])
    }

    @Test func eachValueHasTheNewestOneOfTheOtherFlow() {
        let probe = FlowProbe(left.flow.withLatestFrom(right.flow).map { "\($0)\($1)" })
        left.emit(1)
        right.emit("a", "b")
        left.emit(2, 3)
        right.finish()
        left.emit(4)
        left.finish()
        #expect(probe.lines == ["2b", "3b", "4b", "finished"])
        #expect(FlowProbe(Flow.of(1, 2).withLatestFrom(.just(5)).map(+)).lines == ["6", "7", "finished"])
    }

    @Test func theFirstFailureEndsBoth() {
        let probe = FlowProbe(left.flow.combineLatest(right.flow).map(\.0))
        left.emit(1)
        right.fail("right")
        #expect(probe.lines == ["failed: right"])
        #expect(left.cancelled == [0])
    }

    @Test func valuesFromTwoThreadsAreAllPaired() async {
        let (left, right) = (Gear<Int>(), Gear<Int>())
        let probe = FlowProbe(left.flow.zip(right.flow).prefix(5_000))
        for gear in [left, right] {
            OtherThread.start { for value in 0..<5_000 { gear.propagate(event: value) } }
        }
        await probe.end()
        #expect(probe.values.map(\.0) == Array(0..<5_000))
        #expect(probe.values.map(\.1) == Array(0..<5_000))
    }
}
