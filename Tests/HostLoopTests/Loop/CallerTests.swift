import Dispatch
import HostLoop
import HostLoopTesting
import Testing

/// `.caller` without an observer of steps: the event that finds the loop idle is reduced at once.
@Suite(.timeLimit(.minutes(10))) struct CallerTests {
    @Test func everyKindOfReductionIsCounted() {
        let seen = Box<[Int]>([])
        let loop = Counting.spin(
            until: { $0 == 7 },
            .onState { state in
                seen.change { $0.append(state) }
                return nil
            }
        ).start()
        for event in [3, 0, -9, 4, 5] { loop.emit(event) }
        #expect(seen.value == [0, 3, 7])
        #expect(loop.counters.steps == 2)
        #expect(loop.counters.unhandled == 1)
        #expect(loop.counters.faults == 1)
        #expect(loop.emit(1) == .stopped)
    }

    @Test func eventsOfAnEffectAreReducedInOrderBeforeEmitReturns() {
        let emitter = Box<Emitter<Int>?>(nil)
        let events = Box<[Int]>([])
        let loop = Counting.spin(
            .onEvent { _, event in
                events.change { $0.append(event) }
                guard event == 1 else { return nil }
                emitter.value?.emit(10)
                emitter.value?.perform(100)
                return 1000
            }
        ).start()
        emitter.value = loop.emitter
        loop.emit(1)
        #expect(events.value == [1, 100, 10, 1000])
        #expect(loop.state == 1111)
    }

    @Test func aReducerMayStopTheLoopThatTakesItsEvent() {
        let handle = Box<Loop<Int, Int>?>(nil)
        let shown = Box<[Int]>([])
        let loop = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                handle.value?.emit(event + 1)
                handle.value?.stop()
                state += event
                return true
            },
            feedbacks: [
                .onState { state in
                    shown.change { $0.append(state) }
                    return nil
                }
            ], executor: .caller
        ).start()
        handle.value = loop
        loop.emit(1)
        handle.value = nil
        #expect(loop.state == 1)
        #expect(shown.value == [0])
        #expect(loop.counters.discarded == 1)
        #expect(loop.ended.running.isEmpty)
    }

    @Test func emittersAndPerformersOnManyThreadsLoseNothing() {
        let sum = Box(0)
        let loop = Counting.spin(
            .onEvent { _, event in
                sum.change { $0 += event }
                return nil
            }
        ).start()
        DispatchQueue.concurrentPerform(iterations: 10_000) { number in
            if number.isMultiple(of: 3) { loop.perform(2) } else { loop.emit(1) }
        }
        // The last emitter has returned. One of the other threads drains the event that it has found under
        // way.
        loop.perform(1)
        #expect(loop.state == 13_335)
        #expect(sum.value == 13_335)
        #expect(loop.counters.steps == 10_001)
    }
}
