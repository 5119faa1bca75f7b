@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import HostLoopTesting
import Testing

/// Flows as the effects of runs.
@Suite struct FlowRunTests {
    private func feedback(_ flow: @escaping @Sendable (Int) -> Flow<Int>) -> Feedback<Int, Int> {
        .onEvent("a", where: { _, event in event == 1 }) { _, event, run in
            try flow(event).start(for: run)
        }
    }

    @Test func aSynchronousFlowEmitsWithinItsCall() {
        let log = Counting.Log()
        let loop = Counting.spin(feedback { .of($0 + 9, 20).map { $0 * 10 } }).start(observers: [log])
        loop.emit(1)
        #expect(loop.state == 301)
        #expect(log.lines("end") == ["end a 1"])
    }

    @Test func aFlowThatFailsAtOnceOrLaterFailsItsRun() {
        let log = Counting.Log()
        let source = HandSource<Int>()
        let loop = Counting.spin(
            feedback { _ in .fail(FlowFailure("first")) }, feedback { _ in source.flow }
        ).start(observers: [log])
        loop.emit(1)
        source.emit(5)
        source.fail("second")
        #expect(loop.state == 6)
        #expect(log.lines("fault") == ["fault a at 1: first", "fault a at 2: second"])
    }

    @Test func aStoppedLoopEndsThoughItsFlowsNeverComplete() async {
        let clock = ManualClock()
        let source = HandSource<Int>()
        let flows: [Flow<Int>] = [
            .never, .every(.seconds(1), 10), source.flow, .merge(.never, source.flow),
            Flow.just(1).flatMap { _ in .never }, source.flow.debounce(for: .seconds(1)),
        ]
        let loop = Spin(
            initialState: 0, reducer: Counting.reducer,
            feedbacks: flows.map { flow in feedback { _ in flow } }, executor: .caller, clock: clock
        ).start()
        loop.emit(1)
        clock.advance(by: .seconds(2))
        #expect(loop.state == 21)
        let ended = loop.ended
        loop.stop()
        await ended.wait()
        #expect(clock.timerCount == 0)
        #expect(source.cancelled.count == 3)
    }

    @Test func theEndOfALoopWaitsForTheBodyOfARun() async {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let (began, beginning) = AsyncStream<Void>.makeStream()
        let hasReturned = Box(false)
        let loop = Counting.spin(
            feedback { _ in
                .run { send in
                    beginning.finish()
                    // An unstructured task does not see the cancellation.
                    await Task { for await _ in gate {} }.value
                    await send(5)
                    hasReturned.value = true
                }
            }
        ).start()
        loop.emit(1)
        for await _ in began {}
        let ended = loop.ended
        loop.stop()
        let waiter = Task {
            await ended.wait()
            return hasReturned.value
        }
        opening.finish()
        #expect(await waiter.value)
    }

    @Test func whatACancelledRunSendsIsCountedAsLateThroughOperators() async {
        let source = HandSource<Int>()
        let log = Counting.Log()
        let loop = Counting.spin(
            Feedback.onState("a", where: { $0 == 0 }) { _, run in
                try source.flow.map { $0 * 2 }.start(for: run)
            }
        ).start(observers: [log])
        source.emit(2)
        #expect(source.cancelled == [0])
        #expect(source.emit(3) == .cancelled)
        #expect(loop.state == 4)
        #expect(log.lines("late") == ["late 6 of a 1"])
    }

    @Test func aRunContinuesUntilTheBodyOfAPrefixHasReturned() async {
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let log = Counting.Log()
        let loop = Counting.spin(
            feedback { _ in
                Flow.run { send in
                    await send(5)
                    await Task { for await _ in gate {} }.value
                }.prefix(1)
            }
        ).start(observers: [log])
        loop.emit(1)
        await log.wait(for: "step 2 5: 1 to 6")
        #expect(log.lines("end") == [])
        opening.finish()
        await log.wait(for: "end a 1")
    }

    @Test func theBodyOfARunIsCancelledWithItsRun() async {
        let log = Counting.Log()
        let loop = Counting.spin(
            Feedback.onState("a", where: { $0 == 0 }) { _, run in
                let flow = Flow<Int>.run { send in
                    await send(3)
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    #expect(Task.isCancelled)
                    throw CancellationError()
                }
                return try flow.start(for: run)
            }
        ).start(observers: [log])
        let ended = loop.ended
        await log.wait(for: "cancel a 1")
        #expect(loop.state == 3)
        loop.stop()
        await ended.wait()
        #expect(loop.counters.faults == 0)
    }
}
