import Testing

@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import HostLoopTesting

/// Effects that answer flows, and asynchronous ones.
@Suite(.timeLimit(.minutes(10))) struct FlowEffectTests {
    @Test func aFlowThatIsSynchronousEmitsWithinItsCall() {
        let log = Counting.Log()
        let loop = Counting.spin(
            Feedback.onState("a") { $0 == 0 ? Flow.of(1, 2) : $0 == 3 ? .just(4) : .none }
        ).start(observers: [log])
        #expect(log.states == [0, 1, 3, 7])
        #expect(loop.counters.withdrawn == 0)
        #expect(log.lines.last == "quiescent")
    }

    @Test func levelsMeetInTenStepsThroughFlowsToo() {
        let loop = Spin(
            initialState: Levels.State(left: 10, right: 20), reducer: Levels.reducer,
            feedbacks: [
                .onState("left") { state -> Flow<Levels.Event> in
                    state.left == state.right
                        ? .none : .just(.left(state.left < state.right ? state.left + 1 : state.left - 1))
                },
                .onState("right") { state -> Flow<Levels.Event> in
                    state.left == state.right
                        ? .none : .just(.right(state.right < state.left ? state.right + 1 : state.right - 1))
                },
            ], executor: .caller
        ).start()
        #expect(loop.state == Levels.State(left: 15, right: 15))
        #expect(loop.counters.steps == 10)
    }

    @Test func anAsynchronousEffectIsCancelledWithItsRun() async {
        let log = Counting.Log()
        let gate = AsyncGate()
        let cancelled = AsyncGate()
        let loop = Counting.spin(
            Feedback.onChange(
                "load", request: { $0 },
                async: { request -> Int? in
                    if request == 0 {
                        await withTaskCancellationHandler {
                            await gate.wait()
                        } onCancel: {
                            cancelled.open()
                            gate.open()
                        }
                        return 100
                    }
                    return request == 1 ? 5 : nil
                })
        ).start(observers: [log])
        loop.emit(1)
        await cancelled.wait()
        await log.wait(for: "late 100 of load 1")
        await log.wait(for: "step 2 5: 1 to 6")
        #expect(loop.state == 6)
        #expect(log.lines.contains("cancel load 1"))
    }

    @Test func anAsynchronousEffectThatThrowsFailsItsRun() async {
        let log = Counting.Log()
        let effect: @Sendable (Int, Int) async throws -> Int? = { _, event in
            if event == 1 { throw Counting.Failure(text: "offline") }
            return nil
        }
        let loop = Counting.spin(Feedback.onEvent("load", async: effect).catch { _ in 10 }).start(observers: [
            log
        ])
        loop.emit(1)
        await log.wait(for: "step 2 10: 1 to 11")
        let other = Counting.spin(Feedback.onEvent("load", async: effect)).start(observers: [log])
        other.emit(1)
        await log.wait { $0.contains { $0.hasPrefix("fault load at 1:") } }
        #expect(other.state == 1)
    }

    @Test func anAsynchronousSourceEmitsUntilTheLoopStops() async {
        let log = Counting.Log()
        let ended = AsyncGate()
        let spin = Counting.spin(
            Feedback.always(
                "source",
                source: {
                    Flow.run { send in
                        var result = EmitResult.queued
                        var next = 1
                        while result == .queued {
                            result = await send(next)
                            next += 1
                            if next > 3 { break }
                        }
                        await withTaskCancellationHandler {
                            await ended.wait()
                        } onCancel: {
                            ended.open()
                        }
                    }
                }))
        let loop = spin.start(observers: [log])
        await log.wait(for: "step 3 3: 3 to 6")
        loop.stop()
        await loop.ended.wait()
        #expect(loop.state == 6)
    }

    @Test func aStreamFeedbackIsGivenEveryStateInOrder() {
        let seen = Box<[Int]>([])
        let loop = Counting.spin(
            Feedback.always(
                "stream",
                stream: { (states: Flow<Int>) -> Flow<Int> in
                    Flow<Int> { sink in
                        states.start(
                            Tap(sink) { state in
                                seen.change { $0.append(state) }
                                if state < 3 { sink.emit(1) }
                            })
                    }
                })
        ).start()
        loop.emit(10)
        #expect(seen.value == [0, 1, 2, 3, 13])
    }

    @Test func twoSubscriptionsToTheStatesBothSeeThemAll() {
        let seen = Box<[String]>([])
        let loop = Counting.spin(
            Feedback.always(
                "stream",
                stream: { (states: Flow<Int>) -> Flow<Int> in
                    Flow<Int> { sink in
                        states.start(Tap(sink) { state in seen.change { $0.append("a\(state)") } })
                        states.start(Tap(sink) { state in seen.change { $0.append("b\(state)") } })
                    }
                })
        ).start()
        loop.emit(1)
        #expect(seen.value == ["a0", "b0", "a1", "b1"])
    }

    @Test func aFlowThatFailsAtOnceFailsItsRun() {
        let failing = Feedback<Int, Int>.onEvent("a", where: { _, event in event == 1 }) { _, _ in
            Flow.fail(Counting.Failure(text: "no"))
        }
        let loop = Counting.spin(failing).start()
        loop.emit(1)
        #expect(loop.counters.faults == 1)
        let caught = Counting.spin(failing.catch { _ in 7 }).start()
        caught.emit(1)
        #expect(caught.state == 8)
        #expect(caught.counters.faults == 0)
    }

    @Test func aDelayOfARequestIsAskedForOnceAndEndsWithTheRequest() {
        let clock = ManualClock()
        let log = Counting.Log()
        let asked = Box<[Int]>([])
        // Tens are the request: seconds to wait.
        let loop = Spin<Int, Int>(
            initialState: 20, reducer: Counting.reducer,
            feedbacks: [
                .after(
                    "alarm", request: { $0 < 10 ? nil : $0 / 10 },
                    delay: { seconds in
                        asked.change { $0.append(seconds) }
                        return .seconds(seconds)
                    }, emit: { $0 * 1000 })
            ], executor: .caller, clock: clock
        ).start(observers: [log])
        clock.advance(by: .seconds(1))
        loop.emit(5)
        clock.advance(by: .seconds(1))
        #expect(log.states == [20, 25, 2025], "an equal request goes on waiting")
        loop.emit(-1995)
        clock.advance(by: .seconds(2))
        loop.emit(-29)
        clock.advance(by: .seconds(100))
        #expect(log.states == [20, 25, 2025, 30, 1], "no request, no event")
        #expect(asked.value == [2, 202, 3])
        #expect(clock.timerCount == 0)
    }

    @Test func aDelayThatIsOverAlreadyEmitsAtOnceAndOneThatFailsIsAFault() {
        struct Broken: Error {}
        let clock = ManualClock()
        let loop = Spin<Int, Int>(
            initialState: 0, reducer: Counting.reducer,
            feedbacks: [
                .after(
                    "past", request: { $0 == 1 ? 1 : nil }, delay: { _ in .seconds(-5) }, emit: { _ in 10 }),
                .after(
                    "broken", request: { $0 == 11 ? 1 : nil }, delay: { _ in throw Broken() },
                    emit: { _ in 100 }
                ).catch { $0 is Broken ? 1000 : nil },
            ], executor: .caller, clock: clock
        ).start()
        loop.emit(1)
        clock.advance(by: .zero)
        #expect(loop.state == 1011)
    }

    @Test func aDelayedTransitionComesWhenItsTimeHasComeAndNotAfterItsConditionCeasedToHold() {
        let clock = ManualClock()
        let log = Counting.Log()
        let loop = Spin<Int, Int>(
            initialState: 0, reducer: Counting.reducer,
            feedbacks: [.after("idle", .seconds(30), while: { $0 % 2 == 1 }, emit: { 100 })],
            executor: .caller, clock: clock
        ).start(observers: [log])
        clock.advance(by: .seconds(60))
        #expect(log.states == [0])
        loop.emit(1)
        clock.advance(by: .seconds(20))
        loop.emit(1)
        clock.advance(by: .seconds(20))
        #expect(log.states == [0, 1, 2])
        loop.emit(1)
        loop.emit(2)
        clock.advance(by: .seconds(29))
        #expect(log.states == [0, 1, 2, 3, 5])
        clock.advance(by: .seconds(1))
        #expect(log.states.last == 105)
        clock.advance(by: .seconds(100))
        #expect(log.states.last == 105)
    }
}
