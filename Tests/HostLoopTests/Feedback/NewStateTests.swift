import HostLoop
import Testing

/// Rule 7, and `until`.
@Suite struct NewStateTests {
    @Test func aHandledEventGivesANewStateAlsoWhenItIsEqual() {
        let runs = Box(0)
        let loop = Spin<Int, Int>(
            initialState: 5, reducer: Reducer { (state: Int, event: Int) -> Int in state },
            feedbacks: [
                .onState { _ in
                    runs.change { $0 += 1 }
                    return nil
                }
            ], executor: .caller
        ).start()
        loop.emit(1)
        loop.emit(1)
        #expect(loop.counters.steps == 2)
        #expect(runs.value == 3)
    }

    @Test func anUnhandledEventLeavesNoTraceButItsCount() {
        let log = Counting.Log()
        let runs = Box<[Run<Int>]>([])
        let loop = Counting.spin(
            .onState(
                "a",
                run: { _, run in
                    runs.change { $0.append(run) }
                    return .pending
                })
        ).start(observers: [log])
        loop.emit(0)
        #expect(log.lines == ["started 0", "run a 1", "unhandled 0"])
        #expect(!runs.value[0].isCancelled)
        #expect(loop.counters.unhandled == 1)
        #expect(loop.counters.steps == 0)
        loop.stop()
        runs.value[0].finish()
    }

    @Test func aReducerThatFailsIsAFaultAndTheStateStays() {
        let log = Counting.Log()
        let loop = Counting.spin(from: 3, .onState("a", effect: { _ in nil })).start(observers: [log])
        loop.emit(2)
        loop.emit(-9)
        loop.emit(1)
        #expect(loop.state == 6)
        #expect(loop.counters.faults == 1)
        #expect(loop.counters.steps == 2)
        #expect(log.lines("fault") == [#"fault - at 1: Failure(text: "no")"#])
        #expect(log.faults.first?.source == .reducer)
        #expect(log.lines("run").count == 3)
    }

    @Test func anOptionalReducerIgnoresEventsThatItDoesNotHandle() {
        let loop = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { (state: Int, event: Int) -> Int? in event > 0 ? state + event : nil },
            feedbacks: [], executor: .caller
        ).start()
        loop.emit(4)
        loop.emit(-1)
        #expect(loop.state == 4)
        #expect(loop.counters.unhandled == 1)
    }

    @Test func readingTheStateInsideTheReducerIsAPreconditionFailure() async {
        await #expect(processExitsWith: .failure) {
            let handle = Box<Loop<Int, Int>?>(nil)
            let loop = Spin<Int, Int>(
                initialState: 0,
                reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                    state += handle.value?.state ?? 0
                    return true
                }, feedbacks: [], executor: .caller
            ).start()
            handle.value = loop
            loop.emit(1)
        }
    }

    @Test func theStateCanBeReadInEffectsAndFromOtherThreadsWhileTheLoopSteps() async {
        let handle = Box<Loop<[Int], Int>?>(nil)
        let seen = Box<[Int]>([])
        let spin = Spin<[Int], Int>(
            initialState: [0],
            reducer: Reducer { (state: inout [Int], event: Int) -> Bool in
                state.append(event)
                return true
            },
            feedbacks: [
                .onState { state in
                    if let now = handle.value?.state, state.count == 100 {
                        seen.value = [state.count, now.count]
                    }
                    return state.count < 5_000 ? state.count : nil
                }
            ], until: { $0.count == 5_000 })
        let loop = spin.start()
        handle.value = loop
        var last = 0
        while last < 5_000 {
            let state = loop.state
            #expect(state.count >= last)
            last = state.count
        }
        await loop.ended.wait()
        handle.value = nil
        #expect(loop.state == Array(0..<5_000))
        #expect(seen.value.isEmpty || seen.value == [100, 100])
    }

    @Test func aUniqueStateIsReducedInPlaceWithoutObservers() {
        let addresses = Box<Set<UInt>>([])
        var initial: [Int] = []
        initial.reserveCapacity(8)
        let loop = Spin<[Int], Int>(
            initialState: [1, 2, 3],
            reducer: Reducer { (state: inout [Int], event: Int) -> Bool in
                state[0] = event
                let address = unsafe state.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
                addresses.change { $0.insert(address) }
                return true
            }, feedbacks: [.onState { $0[0] < 100 ? $0[0] + 1 : nil }], executor: .caller
        ).start()
        #expect(loop.state == [100, 2, 3])
        #expect(addresses.value.count == 1)
    }

    @Test func untilStopsTheLoopOnceTheFeedbacksOfThatStateWereStarted() {
        let log = Counting.Log()
        let loop = Counting.spin(until: { $0 >= 2 }, .onState("a", effect: { _ in 1 })).start(observers: [log]
        )
        #expect(
            log.lines == [
                "started 0", "run a 1", "end a 1", "step 1 1: 0 to 1", "run a 2", "end a 2",
                "step 2 1: 1 to 2",
                "run a 3", "end a 3", "stopped: until",
            ])
        #expect(loop.counters.discarded == 1)
        #expect(loop.emit(1) == .stopped)
    }

    @Test func untilIsAskedOfTheInitialState() {
        let log = Counting.Log()
        let loop = Counting.spin(from: 9, until: { $0 == 9 }).start(observers: [log])
        #expect(log.lines == ["started 9", "stopped: until"])
        #expect(loop.state == 9)
    }

    @Test func untilThatThrowsIsAFaultAndCountsAsFalse() {
        let log = Counting.Log()
        let loop = Counting.spin(until: { _ in throw Counting.Failure() }).start(observers: [log])
        loop.emit(1)
        #expect(loop.state == 1)
        #expect(log.faults.map(\.source) == [.until, .until])
        #expect(log.faults.map(\.step) == [0, 1])
        #expect(loop.counters.faults == 2)
    }
}
