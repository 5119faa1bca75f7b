import HostLoop
import Testing

/// Rule 17, on one thread.
@Suite struct PerformTests {
    @Test(arguments: [LoopExecutor.caller, .pool, .serial("own")])
    func aPerformedEventIsReducedAndDeliveredWhenTheCallReturns(executor: LoopExecutor) async {
        let log = Counting.Log()
        let seen = Box<[Int]>([])
        let loop = Counting.spin(
            executor: executor, .always { state, _ in seen.change { $0.append(state) } }
        ).start(observers: [log])
        await log.wait(for: "quiescent")
        await loop.rest()
        #expect(loop.perform(5) == .queued)
        #expect(loop.state == 5)
        #expect(seen.value == [0, 5])
        #expect(log.lines("step") == ["step 1 5: 0 to 5"])
        #expect(log.steps[0].origin == .performed)
        #expect(log.lines.last == "quiescent")
    }

    @Test func withoutObserversItIsReducedInPlace() {
        let seen = Box<[Int]>([])
        let loop = Counting.spin(.always { state, _ in seen.change { $0.append(state) } }).start()
        loop.perform(5)
        loop.perform(0)
        loop.perform(-9)
        loop.perform([1, 2])
        #expect(seen.value == [0, 5, 6, 8])
        #expect(loop.counters.steps == 3)
        #expect(loop.counters.unhandled == 1)
        #expect(loop.counters.faults == 1)
    }

    @Test func severalEventsAreAllAppliedBeforeTheFirstIsDelivered() {
        let log = Counting.Log()
        let handle = Box<@Sendable () -> Int>({ 0 })
        let reads = Box<[String]>([])
        let loop = Counting.spin(
            .onEvent { state, event in
                reads.change { $0.append("\(event) made \(state) of \(handle.value())") }
                return nil
            }
        ).start(observers: [log])
        handle.value = { [weak loop] in loop?.state ?? -1 }
        #expect(loop.perform([1, 2, 3]) == .queued)
        #expect(reads.value == ["1 made 1 of 6", "2 made 3 of 6", "3 made 6 of 6"])
        #expect(log.steps.map(\.index) == [1, 2, 3])
        #expect(log.steps.map(\.before) == [0, 1, 3])
        #expect(log.steps.map(\.after) == [1, 3, 6])
        #expect(loop.perform([]) == .queued)
        #expect(loop.counters.steps == 3)
        handle.value = { 0 }
    }

    @Test func aPerformedEventOvertakesQueuedOnes() {
        let log = Counting.Log()
        let emitter = Box<Emitter<Int>?>(nil)
        let loop = Counting.spin(
            .onEvent(where: { _, event in event == 1 }) { _, _ in
                emitter.value?.emit(10)
                emitter.value?.perform(20)
                emitter.value?.perform([30, 40])
                return 50
            }
        ).start(observers: [log])
        emitter.value = loop.emitter
        loop.emit(1)
        #expect(log.steps.map(\.event) == [1, 20, 30, 40, 10, 50])
        #expect(log.steps.map(\.index) == [1, 2, 3, 4, 5, 6])
        #expect(
            log.steps.map(\.origin) == [
                .outside, .performed, .performed, .performed, .outside,
                .run(EffectRun(feedback: "", index: 0, number: 1)),
            ])
    }

    @Test(arguments: [false, true])
    func fromAnEffectItIsAppliedAtOnceAndDeliveredAfterTheStepAtHand(isPerformed: Bool) {
        let emitter = Box<Emitter<Int>?>(nil)
        let read = Box<@Sendable () -> Int>({ 0 })
        let seen = Box<[String]>([])
        let loop = Counting.spin(
            .always { state, _ in
                seen.change { $0.append("first \(state)") }
                guard state == 1 else { return }
                emitter.value?.perform(20)
                seen.change { $0.append("applied \(read.value())") }
            },
            .always { state, _ in seen.change { $0.append("second \(state)") } }
        ).start()
        emitter.value = loop.emitter
        read.value = { [weak loop] in loop?.state ?? -1 }
        if isPerformed { loop.perform(1) } else { loop.emit(1) }
        #expect(
            seen.value == [
                "first 0", "second 0", "first 1", "applied 21", "second 1", "first 21", "second 21",
            ])
        read.value = { 0 }
    }

    @Test func anObserverMayPerform() {
        let emitter = Box<Emitter<Int>?>(nil)
        let log = Counting.Log { line in
            if line.hasPrefix("step 1") { emitter.value?.perform(2) }
            if line.hasPrefix("unhandled") { emitter.value?.perform(3) }
        }
        let loop = Counting.spin().start(observers: [log])
        emitter.value = loop.emitter
        loop.perform(1)
        loop.perform(0)
        #expect(
            log.lines == [
                "started 0", "quiescent", "step 1 1: 0 to 1", "step 2 2: 1 to 3", "quiescent", "unhandled 0",
                "step 3 3: 3 to 6", "quiescent",
            ])
    }

    @Test func unhandledAndFailedEventsAreCountedOnceAndReportedInOrder() {
        let log = Counting.Log()
        let loop = Counting.spin().start(observers: [log])
        #expect(loop.perform([1, 0, -9, 4]) == .queued)
        #expect(
            log.lines == [
                "started 0", "quiescent", "step 1 1: 0 to 1", "unhandled 0",
                #"fault - at 1: Failure(text: "no")"#, "step 2 4: 1 to 5", "quiescent",
            ])
        #expect(loop.counters.steps == 2)
        #expect(loop.counters.unhandled == 1)
        #expect(loop.counters.faults == 1)
    }

    @Test func aFaultOfAnEffectNamesTheDeliveredStep() {
        let log = Counting.Log()
        let loop = Counting.spin(.onState("broken", where: { $0 > 0 }) { _ in throw Counting.Failure() })
            .start(observers: [log])
        loop.perform([1, 2])
        #expect(log.faults.map(\.step) == [1, 2])
    }

    @Test func aPerformedStepEndsRunsAndWithdrawsTheirEvents() {
        let log = Counting.Log()
        let emitter = Box<Emitter<Int>?>(nil)
        let loop = Counting.spin(
            .onState("stale", where: { $0 == 1 }, effect: { _ in 7 }),
            .onEvent("now", where: { _, event in event == 1 }) { _, _ in
                emitter.value?.perform(100)
                return nil
            }
        ).start(observers: [log])
        emitter.value = loop.emitter
        loop.emit(1)
        #expect(log.lines.contains("withdrawn 7 of stale 1"))
        #expect(loop.state == 101)
        #expect(loop.counters.withdrawn == 1)
    }

    @Test func untilIsAskedOfEachDeliveredStep() {
        let log = Counting.Log()
        let loop = Counting.spin(until: { $0 == 3 }).start(observers: [log])
        loop.perform([1, 2, 4])
        #expect(log.lines.suffix(2) == ["step 2 2: 1 to 3", "stopped: until"])
        #expect(loop.state == 7)
        #expect(loop.counters.steps == 3)
        #expect(loop.counters.discarded == 0)
    }

    @Test func stepsThatAreNotDeliveredAtTheStopStayInTheState() {
        let log = Counting.Log()
        let emitter = Box<Emitter<Int>?>(nil)
        let stop = Box<@Sendable () -> Void>({})
        let loop = Counting.spin(
            .onEvent(where: { _, event in event == 1 }) { _, _ in
                emitter.value?.perform(20)
                stop.value()
                #expect(emitter.value?.perform(30) == .stopped)
                return nil
            }
        ).start(observers: [log])
        emitter.value = loop.emitter
        stop.value = { [weak loop] in loop?.stop() }
        loop.perform(1)
        #expect(loop.state == 21)
        #expect(log.lines("step") == ["step 1 1: 0 to 1"])
        #expect(loop.counters.steps == 2)
        #expect(loop.perform([40, 50]) == .stopped)
        #expect(loop.counters.refused == 3)
        #expect(loop.state == 21)
    }

    @Test func anEmitterWithoutItsLoopAnswersStopped() {
        let emitter = Counting.spin().start().emitter
        #expect(emitter.perform(1) == .stopped)
        #expect(emitter.perform([1, 2]) == .stopped)
    }

    @Test func aHundredThousandNestedPerformsUseConstantStack() {
        let emitter = Box<Emitter<Int>?>(nil)
        let loop = Counting.spin(
            until: { $0 == 100_000 },
            .onEvent { _, _ in
                emitter.value?.perform(1)
                return nil
            }
        ).start()
        emitter.value = loop.emitter
        loop.perform(1)
        #expect(loop.counters.steps >= 100_000)
    }

    @Test func performingInsideTheLoopsOwnReducerFails() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let emitter = Box<Emitter<Int>?>(nil)
            let loop = Spin<Int, Int>(
                initialState: 0,
                reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                    state += event
                    emitter.value?.perform(1)
                    return true
                }, feedbacks: [], executor: .caller
            ).start()
            emitter.value = loop.emitter
            loop.perform(1)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("a reducer performed an event of its own loop"))
    }

    @Test func aReducerThatIsPerformedMayEmitButNotReadTheState() async throws {
        let emitter = Box<Emitter<Int>?>(nil)
        let loop = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                if event == 1 { emitter.value?.emit(10) }
                state += event
                return true
            }, feedbacks: [], executor: .caller
        ).start()
        emitter.value = loop.emitter
        loop.perform(1)
        #expect(loop.state == 11)
        loop.perform([2, 1, 3])
        #expect(loop.state == 27)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let handle = Box<Loop<Int, Int>?>(nil)
            let loop = Spin<Int, Int>(
                initialState: 0,
                reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                    state += event + (handle.value?.state ?? 0)
                    return true
                }, feedbacks: [], executor: .caller
            ).start()
            handle.value = loop
            loop.perform([1, 2])
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("a reducer read the state of its own loop"))
    }
}
