import Dispatch
import HostLoop
import HostLoopTesting
import Testing

/// Rule 14.
@Suite struct ExecutorTests {
    private func labels(loop executor: LoopExecutor, effect: LoopExecutor?) async -> [String] {
        let labels = Box<[String]>([])
        let log = Counting.Log { line in
            if line == "started 0" { labels.change { $0.append(LoopExecutor.current?.label ?? "none") } }
        }
        var feedback = Feedback<Int, Int>.onState(where: { $0 == 0 }, strategy: .continueOnNewState) { _ in
            labels.change { $0.append(LoopExecutor.current?.label ?? "none") }
            return 1
        }
        if let effect { feedback = feedback.execute(on: effect) }
        let loop = Counting.spin(executor: executor, feedback).start(observers: [log])
        await log.wait { $0.contains("quiescent") }
        #expect(loop.state == 1)
        return labels.value
    }

    @Test func aLoopAndItsEffectsRunOnTheExecutorsTheyWereGiven() async {
        let own = LoopExecutor.serial("own")
        #expect(await labels(loop: .pool, effect: nil) == ["pool", "pool"])
        #expect(await labels(loop: .pool, effect: .blocking) == ["pool", "blocking"])
        #expect(await labels(loop: .serial("mine"), effect: .pool) == ["mine", "pool"])
        #expect(await labels(loop: own, effect: own) == ["own", "own"])
        #expect(await labels(loop: .caller, effect: nil) == ["caller", "caller"])
        #expect(await labels(loop: .caller, effect: .caller) == ["caller", "caller"])
        #expect(await labels(loop: .main, effect: .serial("own too", blocking: true)) == ["main", "own too"])
        #expect(await labels(loop: .pool, effect: .main) == ["pool", "main"])
        #expect(await labels(loop: .task(globalConcurrentExecutor), effect: nil) == ["task", "task"])
        #expect(LoopExecutor.current == nil)
    }

    /// Each side answers as soon as it gets the event. At that rate a pool thread gets its next job before it
    /// sleeps, while it falls asleep, and once it sleeps. A job that no thread gets ends this early.
    @Test(arguments: [LoopExecutor.pool, .blocking, .serial("hand-over")])
    func handOversToAndFro_loseNothing(executor: LoopExecutor) async {
        let turns = 20_000
        let heard = DispatchSemaphore(value: 0)
        let loop = Counting.spin(
            executor: executor,
            .onEvent { _, _ in
                heard.signal()
                return nil
            }
        ).start()
        let last = await withCheckedContinuation { continuation in
            DispatchQueue(label: "hand-over").async {
                for turn in 1...turns {
                    loop.emit(1)
                    guard heard.wait(timeout: .now() + 60) == .success else { break }
                    // At times the loop's thread has the time to fall asleep.
                    if turn.isMultiple(of: 500) { for _ in 0..<5_000 where loop.state != turn { break } }
                }
                continuation.resume(returning: loop.state)
            }
        }
        #expect(last == turns)
        #expect(loop.counters.steps == turns)
    }

    @Test func theCallerRunsALoopOnItsOwnThreadBeforeEmitReturns() {
        let handled = Box(0)
        let loop = Counting.spin(
            .onEvent { _, event in
                handled.value = event
                return nil
            }
        ).start()
        loop.emit(3)
        #expect(handled.value == 3)
    }

    /// Two loops share one serial executor; how far is the busy one when the other gets its turn?
    private func stepsBeforeOthers(microsecondsPerStep: Int) async -> Int {
        let clock = ManualClock()
        let executor = LoopExecutor.serial("shared")
        let busyState = Box(0)
        let seen = Box<Int?>(nil)
        let other = Counting.spin(
            executor: executor, clock: clock,
            .onEvent { _, _ in
                seen.value = busyState.value
                return nil
            }
        ).start()
        let emitter = other.emitter
        let busy = Counting.spin(
            executor: executor, clock: clock, until: { $0 == 5_000 },
            .onState { state in
                busyState.value = state
                clock.advance(by: .microseconds(microsecondsPerStep))
                if state == 0 { emitter.emit(1) }
                return 1
            }
        ).start()
        await busy.ended.wait()
        return seen.value ?? -1
    }

    @Test func aLoopLeavesItsThreadAfter1024Steps() async {
        #expect(await stepsBeforeOthers(microsecondsPerStep: 0) == 1024)
    }

    @Test(arguments: [(10, 100), (300, 4), (1000, 1), (5000, 1)])
    func aLoopLeavesItsThreadAfterAMillisecond(microsecondsPerStep: Int, steps: Int) async {
        #expect(await stepsBeforeOthers(microsecondsPerStep: microsecondsPerStep) == steps)
    }

    @Test func aBatchThatWasBegunIsNotSplitByLeavingTheThread() async {
        let executor = LoopExecutor.serial("shared")
        let log = Counting.Log()
        let emitter = Box<Emitter<Int>?>(nil)
        let loop = Counting.spin(
            executor: executor, until: { $0 == 3_002 },
            .onEvent(
                where: { state, event in event == 1 && state == 1 },
                run: { _, _, run in
                    run.emit(contentsOf: Array(repeating: 1, count: 3_000))
                    emitter.value?.emit(1)
                    return .finished
                })
        ).start(observers: [log])
        emitter.value = loop.emitter
        loop.emit(1)
        await loop.ended.wait()
        #expect(log.steps.dropFirst().prefix(3_000).allSatisfy { $0.origin.run != nil })
        #expect(log.steps.last?.origin == .outside)
    }

    @Test func blockingEffectsGetAThreadEach() async {
        let count = 40
        let inside = Box(0)
        let (allInside, gate) = (Gate(), Gate())
        let log = Counting.Log()
        let loop = Counting.spin(
            executor: .pool,
            .onEvent(strategy: .continueOnNewState) { _, event in
                if inside.change({ $0 += 1 }) == count { allInside.open() }
                gate.pass()
                return nil
            }.execute(on: .blocking)
        ).start(observers: [log])
        for _ in 0..<count { loop.emit(1) }
        allInside.pass()
        // The pool's threads are free while all of them block.
        let other = Counting.spin(executor: .pool, until: { $0 == 10 }, .onState { _ in 1 }).start()
        await other.ended.wait()
        for _ in 0..<count { gate.open() }
        await log.wait { $0.last == "quiescent" && $0.count { $0.hasPrefix("end") } == count }
    }

    @Test func aCancelledCallKeepsItsPlaceAndOnlyTheNewestRequestWaits() async {
        let calls = Box<[Int]>([])
        let (entered, gate) = (Gate(), Gate())
        let log = Counting.Log()
        let loop = Counting.spin(
            executor: .pool,
            .onChange("slow", request: { $0 }) { (request: Int) -> Int? in
                calls.change { $0.append(request) }
                entered.open()
                gate.pass()
                return nil
            }.execute(on: .blocking)
        ).start(observers: [log])
        entered.pass()
        for _ in 0..<3 { loop.emit(1) }
        await log.wait { $0.contains("step 3 1: 2 to 3") }
        #expect(calls.value == [0])
        #expect(!log.lines.contains("quiescent"))
        gate.open()
        entered.pass()
        #expect(calls.value == [0, 3])
        gate.open()
        await log.wait(for: "quiescent")
        #expect(log.lines("cancel") == ["cancel slow 1"])
        #expect(log.lines("end") == ["end slow 2"])
    }

    @Test func underQueueEveryRequestWaitsForTheCallThatExecutes() async {
        let calls = Box<[Int]>([])
        let (entered, gate) = (Gate(), Gate())
        let log = Counting.Log()
        let loop = Counting.spin(
            executor: .pool,
            .onEvent("slow") { _, event in
                calls.change { $0.append(event) }
                entered.open()
                gate.pass()
                return nil
            }.execute(on: .blocking)
        ).start(observers: [log])
        for event in 1...3 { loop.emit(event) }
        for _ in 1...3 {
            entered.pass()
            gate.open()
        }
        await log.wait { $0.last == "quiescent" && $0.contains("end slow 3") }
        #expect(calls.value == [1, 2, 3])
    }

    @Test func aRequestThatWaitsIsForgottenWhenItsStateIsOver() async {
        let calls = Box<[Int]>([])
        let (entered, gate) = (Gate(), Gate())
        let log = Counting.Log()
        let loop = Counting.spin(
            executor: .pool,
            .onState("slow", where: { $0 % 2 == 0 }) { state in
                calls.change { $0.append(state) }
                entered.open()
                gate.pass()
                return nil
            }.execute(on: .blocking)
        ).start(observers: [log])
        entered.pass()
        loop.emit(2)
        loop.emit(1)
        await log.wait { $0.contains("step 2 1: 2 to 3") }
        gate.open()
        await log.wait(for: "quiescent")
        #expect(calls.value == [0])
    }

    @Test func anOwnMemoryWithoutADetachedEffectCannotExecuteElsewhere() async {
        await #expect(processExitsWith: .failure) {
            let feedback = Feedback<Int, Int>.onChange("own") {
                RequestMemory(change: { _ in .new }, effect: { _, _ in .finished })
            }
            _ = Counting.spin(feedback.execute(on: .pool)).start()
        }
    }

    @Test func anOwnMemoryHandsACopyOfItsRequestToAnotherExecutor() async {
        let calls = Box<[Int]>([])
        let log = Counting.Log()
        let feedback = Feedback<Int, Int>.onChange("own") {
            var last = -1
            return RequestMemory(
                change: { state in
                    last = state
                    return .new
                },
                effect: { _, _ in .finished },
                detached: {
                    let request = last
                    return { state, _ in
                        calls.change { $0.append(request) }
                        return .finished
                    }
                })
        }
        let loop = Counting.spin(executor: .pool, feedback.execute(on: .serial("other"))).start(observers: [
            log
        ])
        await log.wait(for: "quiescent")
        loop.emit(5)
        await log.wait(for: "quiescent", count: 2)
        #expect(calls.value == [0, 5])
    }

    @Test func aHundredThousandIdleLoopsStartRestAndStop() async {
        let count = 100_000
        let ended = Box(0)
        let spin = Counting.spin(executor: .pool, .onState { $0 == 1 ? 1 : nil })
        var loops: [Loop<Int, Int>] = []
        for _ in 0..<count { loops.append(spin.start()) }
        for loop in loops { loop.emit(1) }
        await withCheckedContinuation { continuation in
            for loop in loops {
                loop.ended.notify {
                    if ended.change({ $0 += 1 }) == count { continuation.resume() }
                }
            }
            loops = []
        }
        #expect(ended.value == count)
    }

    @Test func aCallElsewhereThatIsCancelledBeforeItBeginsDoesNotBegin() async {
        let log = Counting.Log()
        let (busy, other) = (Gate(), LoopExecutor.serial("other", blocking: true))
        let calls = Box(0)
        let loop = Counting.spin(
            .onState("busy", where: { $0 == 1 }, strategy: .continueOnNewState) { _, _ in
                busy.pass()
                return .finished
            }.execute(on: other),
            .onState("late", where: { $0 == 1 }) { _, _ in
                calls.change { $0 += 1 }
                return .finished
            }.execute(on: other)
        ).start(observers: [log])
        loop.emit(1)
        loop.emit(1)
        #expect(log.lines.contains("cancel late 1"))
        busy.open()
        await log.wait(for: "quiescent", count: 2)
        loop.stop()
        await loop.ended.wait()
        #expect(calls.value == 0)
    }
}
