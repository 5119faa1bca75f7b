import Dispatch
import HostLoop
import TestSupport
import Testing

/// Rule 2.
@Suite struct OwnershipTests {
    @Test func eventsAfterTheStopAreCounted() async {
        let runs = Runs()
        let loop = Counting.spin(.onState("a", run: runs.start)).start()
        loop.stop()
        #expect(loop.emit(1) == .stopped)
        #expect(loop.emitter.emit(1) == .stopped)
        #expect(loop.perform(1) == .stopped)
        #expect(await loop.send(1) == .stopped)
        #expect(runs[0].emit(1) == .stopped)
        #expect(runs[0].emit(contentsOf: [1, 2]) == .stopped)
        #expect(loop.counters.refused == 7)
        #expect(loop.counters.discarded == 0)
        runs.finishAll()
        await loop.ended.wait()
    }

    @Test func theLastReleaseOfTheHandleStopsAnIdleLoop() async {
        let log = Counting.Log()
        var loop: Loop<Int, Int>? = Counting.spin(executor: .pool).start(observers: [log])
        await log.wait(for: "quiescent")
        let ended = loop?.ended
        let emitter = loop?.emitter
        loop = nil
        await ended?.wait()
        #expect(log.lines.last == "stopped: released")
        #expect(emitter?.emit(1) == .stopped)
    }

    @Test func theLastReleaseOfTheHandleStopsTheLoopWhileItSteps() async throws {
        let hasStepped = Box(false)
        let stepped = Gate()
        var loop: Loop<Int, Int>? = Counting.spin(
            executor: .pool,
            .onState { state in
                if state == 100, !hasStepped.value {
                    hasStepped.value = true
                    stepped.open()
                }
                return 1
            }
        ).start()
        stepped.pass()
        let ended = try #require(loop).ended
        loop = nil
        await ended.wait()
    }

    @Test func theLastReleaseMayHappenInsideTheLoop() async throws {
        let log = Counting.Log()
        let handle = Box<Loop<Int, Int>?>(nil)
        let isKept = Gate()
        handle.value = Counting.spin(
            executor: .pool,
            .onState { state in
                if state == 0 { isKept.pass() }
                if state == 3 { handle.value = nil }
                return 1
            }
        ).start(observers: [log])
        let ended = try #require(handle.value).ended
        isKept.open()
        await ended.wait()
        #expect(log.states == [0, 1, 2, 3])
        #expect(log.lines.last == "stopped: released")
    }

    @Test func theLoopsMemoryGoesWithItsHandle() {
        final class Token: Sendable {}
        var token: Token? = Token()
        weak let held = token
        var loop: Loop<Int, Int>? = Counting.spin(
            .always("source") { [token] _, run in
                run.onCancel {
                    withExtendedLifetime(token) {}
                    run.finish()
                }
                return .pending
            }
        ).start()
        token = nil
        #expect(held != nil)
        #expect(loop?.ended.running.count == 1)
        loop = nil
        #expect(held == nil)
    }

    @Test func anEmitterDoesNotKeepTheLoop() async {
        let loop = Counting.spin(executor: .pool).start()
        let emitter = loop.emitter
        #expect(emitter.emit(1) == .queued)
        loop.stop()
        await loop.ended.wait()
        #expect(emitter.emit(1) == .stopped)
        #expect(loop.emit(1) == .stopped)
    }

    @Test func stopDiscardsTheQueueAndCountsIt() {
        let log = Counting.Log { line in
            #expect(line != "step 1 1: 0 to 1")
        }
        let handle = Box<Loop<Int, Int>?>(nil)
        let loop = Counting.spin(
            .onEvent(run: { _, _, run in
                run.emit(contentsOf: [2, 3])
                handle.value?.emit(4)
                handle.value?.stop()
                #expect(run.emit(5) == .stopped)
                #expect(run.isCancelled)
                return .finished
            })
        ).start(observers: [log])
        handle.value = loop
        loop.emit(10)
        handle.value = nil
        #expect(loop.counters.discarded == 3)
        #expect(loop.counters.steps == 1)
        #expect(loop.state == 10)
        #expect(log.lines.last == "stopped")
    }

    @Test func stopMayBeRepeatedFromAnywhere() {
        let handle = Box<Loop<Int, Int>?>(nil)
        let log = Counting.Log { _ in handle.value?.stop() }
        let loop = Counting.spin().start(observers: [log])
        handle.value = loop
        loop.emit(1)
        loop.stop()
        loop.stop()
        handle.value = nil
        #expect(log.lines("stopped") == ["stopped"])
        #expect(loop.emit(1) == .stopped)
    }

    @Test func stopInsideAReducerEndsTheLoopAfterThatStepWithoutStartingEffects() {
        let handle = Box<Loop<Int, Int>?>(nil)
        let runs = Box(0)
        let loop = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                handle.value?.stop()
                state += event
                return true
            },
            feedbacks: [
                .onState { _ in
                    runs.change { $0 += 1 }
                    return nil
                }
            ], executor: .caller
        ).start()
        handle.value = loop
        loop.emit(1)
        handle.value = nil
        #expect(loop.state == 1)
        #expect(runs.value == 1)
        #expect(loop.emit(1) == .stopped)
    }

    @Test func stopCancelsPendingRunsAndTheEndWaitsForThem() {
        let log = Counting.Log()
        let runs = Box<[Run<Int>]>([])
        let cancelled = Box(0)
        let ended = Box(false)
        let loop = Counting.spin(
            .onEvent(
                "work", strategy: .continueOnNewState,
                run: { _, _, run in
                    run.onCancel { cancelled.change { $0 += 1 } }
                    runs.change { $0.append(run) }
                    return .pending
                })
        ).start(observers: [log])
        loop.emit(1)
        loop.emit(1)
        loop.stop()
        loop.ended.notify { ended.value = true }
        #expect(cancelled.value == 2)
        #expect(loop.ended.running.map(\.number) == [1, 2])
        #expect(!ended.value)
        #expect(runs.value.allSatisfy { $0.isCancelled })
        #expect(runs.value[0].emit(1) == .stopped)
        runs.value[1].finish()
        runs.value[1].finish()
        #expect(!ended.value)
        runs.value[0].fail(Counting.Failure())
        #expect(ended.value)
        #expect(log.lines.last == "stopped")
        #expect(loop.ended.running.isEmpty)
    }

    @Test func theEndWaitsForACallThatExecutesElsewhere() async {
        let log = Counting.Log()
        let (entered, held) = (Gate(), Gate())
        let ended = Box(false)
        let loop = Counting.spin(
            executor: .pool,
            .onState("slow") { _ in
                entered.open()
                held.pass()
                return 1
            }.execute(on: .blocking)
        ).start(observers: [log])
        entered.pass()
        loop.stop()
        await log.wait(for: "stopped")
        loop.ended.notify { ended.value = true }
        #expect(!ended.value)
        #expect(loop.ended.running.map(\.feedback) == ["slow"])
        let isTold = AsyncGate()
        loop.ended.notify { isTold.open() }
        held.open()
        await isTold.wait()
        // Earlier callers are notified earlier.
        #expect(ended.value)
        #expect(loop.state == 0)
    }

    @Test func aRunThatHasFinishedDuringACallElsewhereIsNotCancelledByTheStop() async {
        let (finished, held) = (Gate(), Gate())
        let isCancelled = Box(false)
        let loop = Counting.spin(
            .onState(
                "slow",
                run: { _, run in
                    run.onCancel { isCancelled.value = true }
                    run.finish()
                    run.onCancel { isCancelled.value = true }
                    finished.open()
                    held.pass()
                    return .finished
                }
            ).execute(on: .blocking)
        ).start()
        finished.pass()
        loop.stop()
        held.open()
        await loop.ended.wait()
        #expect(!isCancelled.value)
    }

    @Test func aHandlerRegisteredAfterTheStopIsCalledAtOnce() {
        let runs = Box<[Run<Int>]>([])
        let called = Box(false)
        let loop = Counting.spin(
            .always { _, run in
                runs.change { $0.append(run) }
                return .pending
            }
        ).start()
        loop.stop()
        runs.value[0].onCancel { called.value = true }
        #expect(called.value)
        runs.value[0].finish()
    }

    @Test func awaitingTheEndInsideAnEffectOfTheLoopIsAPreconditionFailure() async {
        await #expect(processExitsWith: .failure) {
            let handle = Box<Loop<Int, Int>?>(nil)
            let loop = Counting.spin(
                .onEvent(run: { _, _, run in
                    let ended = handle.value?.ended
                    Task {
                        await ended?.wait()
                        run.finish()
                    }
                    return .pending
                })
            ).start()
            handle.value = loop
            loop.emit(1)
            await loop.ended.wait()
        }
    }

    @Test func waitingForAnEndThatIsReached_neitherLeavesTheActorNorNeedsThePool() async {
        let loop = Counting.spin().start()
        loop.stop()
        let returns = await CountingActor().returns { _ in
            for _ in 0..<3 { await loop.ended.wait() }
        }
        #expect(returns == 0)
    }

    @Test func aTaskOutsideMayAwaitTheEndOfALoopThatAnotherLoopStarted() async {
        let outer = Counting.spin(
            executor: .pool,
            .onState(run: { _, run in
                Task {
                    let inner = Counting.spin(executor: .pool, until: { $0 == 0 }).start()
                    await inner.ended.wait()
                    run.emit(1)
                    run.finish()
                }
                return .pending
            })
        )
        let log = Counting.Log()
        let loop = outer.start(observers: [log])
        await log.wait { $0.contains("step 1 1: 0 to 1") }
        loop.stop()
    }
}

/// Values that users give the loop may run any code when they are released.
private final class Releasing: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    deinit { body() }
}

extension OwnershipTests {
    @Test func aValueThatAHandlerCapturedMayStopTheLoopWhenItIsReleased() {
        for isFinished in [false, true] {
            let handle = Box<Loop<Int, Int>?>(nil)
            let runs = Runs()
            let loop = Counting.spin(
                .onEvent(run: { _, event, run in
                    let releasing = Releasing { handle.value?.stop() }
                    run.onCancel { withExtendedLifetime(releasing) {} }
                    return isFinished ? .finished : runs.start(event, run)
                })
            ).start()
            handle.value = loop
            loop.emit(1)
            runs.finishAll()
            handle.value = nil
            #expect(loop.emit(1) == .stopped)
        }
    }

    @Test func aDiscardedEventMayStopTheLoopWhenItIsReleased() {
        let handle = Box<Loop<Int, Releasing>?>(nil)
        let released = Box(false)
        let loop = Spin<Int, Releasing>(
            initialState: 0,
            reducer: Reducer { (state: inout Int, event: Releasing) -> Bool in
                handle.value?.emit(
                    Releasing {
                        handle.value?.stop()
                        released.value = true
                    })
                handle.value?.stop()
                return true
            }, feedbacks: [], executor: .caller
        ).start()
        handle.value = loop
        loop.emit(Releasing {})
        #expect(released.value)
        #expect(loop.counters.discarded == 1)
        handle.value = nil
    }

    @Test func aCancelledTimerMayCancelAnotherWhenItIsReleased() {
        let clock = ContinuousLoopClock()
        let later = clock.now.advanced(by: .seconds(3600))
        let other = clock.schedule(at: later) {}
        let released = Box(false)
        let cancellation = {
            let releasing = Releasing {
                other.cancel()
                released.value = true
            }
            return clock.schedule(at: later) { withExtendedLifetime(releasing) {} }
        }()
        cancellation.cancel()
        #expect(released.value)
    }

    @Test(arguments: [false, true], [false, true])
    func aRunThatHasFinished_isNotCancelled_whateverAnotherThreadSaidDuringItsCall(
        saysFinish: Bool, isObserved: Bool
    ) {
        let (isCalled, isReleased) = (Box(false), Box(false))
        let loop = Counting.spin(
            .onEvent(run: { _, _, run in
                let releasing = Releasing { isReleased.value = true }
                // Another thread, which has ended when this returns.
                try OtherThread.result {
                    run.onCancel { withExtendedLifetime(releasing) { isCalled.value = true } }
                    if saysFinish { run.finish() }
                }
                return .finished
            })
        ).start(observers: isObserved ? [Counting.Log()] : [])
        loop.emit(1)
        #expect(isReleased.value)
        #expect(loop.ended.running.isEmpty)
        loop.stop()
        #expect(!isCalled.value)
    }
}
