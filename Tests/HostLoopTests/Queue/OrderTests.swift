import Dispatch
import HostLoop
import Testing

/// Rules 4, 5 and 6.
@Suite struct OrderTests {
    @Test func eventsOfOneThreadAreReducedInTheOrderOfTheirEmission() async {
        let spin = Spin<[Int], Int>(
            initialState: [],
            reducer: Reducer { (state: inout [Int], event: Int) -> Bool in
                state.append(event)
                return true
            }, feedbacks: [], until: { $0.count == 5_000 })
        let loop = spin.start()
        for event in 0..<5_000 { loop.emit(event) }
        await loop.ended.wait()
        #expect(loop.state == Array(0..<5_000))
    }

    @Test func anEmissionThatReturnedBeforeAnEffectEmitsIsReducedFirst() {
        let log = Counting.Log()
        let emitter = Box<Emitter<Int>?>(nil)
        let loop = Counting.spin(
            .onEvent(
                where: { _, event in event == 1 },
                run: { _, _, run in
                    emitter.value?.emit(10)
                    run.emit(20)
                    emitter.value?.emit(30)
                    run.emit(40)
                    emitter.value?.emit(50)
                    return .finished
                })
        ).start(observers: [log])
        emitter.value = loop.emitter
        loop.emit(1)
        // The events of the call are one entry, at the position of its first event.
        #expect(log.steps.map(\.event) == [1, 10, 20, 40, 30, 50])
    }

    @Test func observersComeBeforeEndingsAndEndingsBeforeStartsInTheOrderOfDeclaration() {
        let log = Counting.Log()
        let runs = Box<[Run<Int>]>([])
        let pending: @Sendable (Int, Run<Int>) -> EffectStatus = { state, run in
            runs.change { $0.append(run) }
            return .pending
        }
        let loop = Counting.spin(.onState("a", run: pending), .onState("b", run: pending)).start(observers: [
            log
        ])
        loop.emit(1)
        #expect(
            log.lines == [
                "started 0", "run a 1", "run b 1", "step 1 1: 0 to 1", "cancel a 1", "cancel b 1", "run a 2",
                "run b 2",
            ])
        loop.stop()
        for run in runs.value { run.finish() }
    }

    @Test func aLoopThatFeedsItselfAMillionEventsUsesConstantStack() {
        let depths = Box<(least: UInt, most: UInt)>((.max, 0))
        let loop = Counting.spin(
            .onState { state in
                if state % 100_000 == 0 {
                    var local: UInt8 = 0
                    let address = unsafe withUnsafePointer(to: &local) { UInt(bitPattern: $0) }
                    depths.change { $0 = (min($0.least, address), max($0.most, address)) }
                }
                return state < 1_000_000 ? 1 : nil
            }
        ).start()
        #expect(loop.state == 1_000_000)
        #expect(depths.value.most - depths.value.least < 4096)
    }

    @Test func emissionsInsideReducerEffectAndObserverAreQueued() {
        let emitter = Box<Emitter<Int>?>(nil)
        let log = Counting.Log { line in
            if line == "step 1 1: 0 to 1" { emitter.value?.emit(100) }
        }
        let loop = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                if event == 1 { emitter.value?.emit(10) }
                state += event
                return true
            },
            feedbacks: [
                .onEvent(
                    where: { _, event in event == 1 },
                    effect: { _, _ in
                        emitter.value?.emit(1000)
                        return nil
                    })
            ], executor: .caller
        ).start(observers: [log])
        emitter.value = loop.emitter
        loop.emit(1)
        #expect(log.steps.map(\.event) == [1, 10, 100, 1000])
        #expect(loop.state == 1111)
    }

    @Test func everyEventOfManyThreadsIsReducedOnce() async {
        let loop = Counting.spin(executor: .pool, until: { $0 == 40_000 }, .onState(effect: { _ in nil }))
            .start()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<10_000 { #expect(loop.emit(1) == .queued) }
        }
        await loop.ended.wait()
        #expect(loop.counters.steps == 40_000)
    }

    @Test func everyEventOfManyThreadsIsReducedOnceWhenTheCallersRunTheLoop() {
        let loop = Counting.spin(.onState(effect: { $0 % 10 == 1 ? 9 : nil })).start()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<2_500 { loop.emit(10) }
        }
        // Another caller may still run it.
        while loop.counters.steps < 10_000 { continue }
        #expect(loop.state == 100_000)
    }

    @Test func aThreadThatHoldsALockThatAnEffectNeedsMayEmit() async {
        let lock = DispatchSemaphore(value: 1)
        let log = Counting.Log()
        let loop = Counting.spin(
            executor: .pool,
            .onEvent { _, event in
                lock.wait()
                lock.signal()
                return event == 1 ? 2 : nil
            }
        ).start(observers: [log])
        await log.wait(for: "quiescent")
        Self.emit(holding: lock, into: loop)
        await log.wait(for: "quiescent", count: 2)
        #expect(loop.state == 3)
    }

    private static func emit(holding lock: DispatchSemaphore, into loop: Loop<Int, Int>) {
        lock.wait()
        loop.emit(1)
        lock.signal()
    }

    @Test func aRunThatKeepsAskingForCallsDoesNotHoldUpTheEvents() {
        let calls = Box(0)
        @Sendable func call(_ run: Run<Int>) -> EffectStatus {
            let count = calls.change { $0 += 1 }
            if count == 1 { run.emit(1) }
            if count < 1000 { run.resume(call) }
            return .pending
        }
        let loop = Counting.spin(until: { $0 == 1 }, .always("a", run: { _, run in call(run) })).start()
        #expect(loop.state == 1)
        #expect(calls.value < 4)
    }
}
