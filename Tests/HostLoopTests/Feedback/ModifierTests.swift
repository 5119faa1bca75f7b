import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import HostLoopTesting
import Testing

/// The effects of modifiers on a feedback: they work alike on every kind of effect.
@Suite struct ModifierTests {
    private let clock = ManualClock()

    private func start(_ feedbacks: Feedback<Int, Int>..., log: Counting.Log = Counting.Log()) -> Loop<
        Int, Int
    > {
        Spin(
            initialState: 0, reducer: Counting.reducer, feedbacks: feedbacks, executor: .caller, clock: clock
        ).start(observers: [log])
    }

    @Test func aDelayedEffectIsCalledLaterOnTheLoopsExecutorAndItsEventsAreOneEntry() {
        let log = Counting.Log()
        let labels = Box<[String?]>([])
        let loop = start(
            Feedback.onState("a", where: { $0 == 1 }) { _, run in
                labels.change { $0.append(LoopExecutor.current?.label) }
                run.emit(10)
                run.emit(20)
                return .finished
            }.delay(for: .seconds(2)), log: log)
        loop.emit(1)
        clock.advance(by: .seconds(1))
        #expect(loop.state == 1)
        clock.advance(by: .seconds(1))
        // The state 11 ends the run, whose entry was begun: it is not split.
        #expect(log.states == [0, 1, 11, 31])
        #expect(labels.value == ["caller"])
    }

    @Test func aDelayedEffectIsNotCalledWhenItsRunWasEnded() {
        let calls = Box(0)
        let loop = start(
            Feedback.onState("a", where: { $0 == 1 }) { _ -> Int? in
                calls.change { $0 += 1 }
                return nil
            }.delay(for: .seconds(2)))
        loop.emit(1)
        loop.emit(1)
        clock.advance(by: .seconds(5))
        #expect(calls.value == 0)
        #expect(clock.timerCount == 0)
    }

    @Test func aDelayedEffectOnAnotherExecutorIsCalledThere() async {
        let log = Counting.Log()
        let serial = LoopExecutor.serial("other")
        let labels = Box<[String?]>([])
        let loop = start(
            Feedback.onState("a", where: { $0 == 1 }, strategy: .continueOnNewState) { _ -> Int? in
                labels.change { $0.append(LoopExecutor.current?.label) }
                return 5
            }.execute(on: serial).delay(for: .seconds(2)), log: log)
        loop.emit(1)
        await log.wait(for: "run a 1")
        await settled(serial)
        clock.advance(by: .seconds(2))
        await log.wait(for: "end a 1")
        #expect(labels.value == ["other"])
        #expect(loop.state == 6)
    }

    /// Waits until all earlier jobs of a serial executor are done.
    private func settled(_ executor: LoopExecutor) async {
        let log = Counting.Log()
        let loop = Spin<Int, Int>(
            initialState: 0, reducer: Counting.reducer, feedbacks: [], executor: executor
        )
        .start(observers: [log])
        await log.wait(for: "quiescent")
        withExtendedLifetime(loop) {}
    }

    /// Feedbacks whose runs last, by their modifier.
    private static let lasting: [(String, Feedback<Int, Int>)] = {
        let never = Feedback<Int, Int>.onState("a", flow: { _ in .never })
        return [
            ("delay", never.delay(for: .seconds(2))), ("debounce", never.debounce(for: .seconds(2))),
            ("throttle", never.throttle(for: .seconds(2))), ("timeout", never.timeout(after: .seconds(2))),
            ("retry", never.retry(2)), ("hook", never.onEventEmitted { _ in }),
            ("cancellable", never.cancellable(id: 1)),
            (
                "retry after a failure",
                .onState("a", effect: { _ in throw Counting.Failure() }).retry(2) { _ in .seconds(2) }
            ),
            (
                "keys",
                .onEach("a", requests: { Set([$0]) }, flow: { (_: Int) in .never }).onEventEmitted { _ in }
            ),
        ]
    }()

    @Test(arguments: lasting.map(\.0))
    func aRelayOfAModifierEndsWithItsRun(name: String) throws {
        let loop = start(try #require(Self.lasting.first { $0.0 == name }?.1))
        for step in 1...5 {
            loop.emit(1)
            clock.advance(by: .seconds(step % 2))
        }
        // The runs of former states are cancelled and have ended.
        #expect(loop.ended.running.count == 1)
        loop.stop()
        #expect(loop.ended.running.isEmpty)
        #expect(clock.timerCount == 0)
    }

    @Test func aRunThatResumesLaterEndsWithItsLoopWhereverItIs() {
        let loop = start(
            .always("tick") { _, run in
                run.resume(after: .seconds(1)) { run in
                    run.resume(after: .seconds(1)) { _ in .finished }
                    return .pending
                }
                return .pending
            })
        clock.advance(by: .seconds(1))
        #expect(loop.ended.running.count == 1)
        loop.stop()
        #expect(loop.ended.running.isEmpty)
    }

    @Test func onlyTheLastOfManyStartsSurvivesADebounceAlsoUnderTheQueue() {
        let seen = Box<[Int]>([])
        let loop = start(
            Feedback.onEvent("search", strategy: .queue) { _, event -> Int? in
                seen.change { $0.append(event) }
                return nil
            }.debounce(for: .milliseconds(300)))
        for event in 1...3 {
            loop.emit(event)
            clock.advance(by: .milliseconds(299))
        }
        #expect(seen.value == [])
        clock.advance(by: .milliseconds(1))
        #expect(seen.value == [3])
        loop.emit(4)
        clock.advance(by: .milliseconds(300))
        #expect(seen.value == [3, 4])
    }

    @Test func aThrottleSpacesStartsOutAndTheNewestWins() {
        let seen = Box<[String]>([])
        let loop = start(
            Feedback.onEvent("a", strategy: .cancelOnNewMatch) { _, event, run -> EffectStatus in
                seen.change { $0.append("\(event) at \(run.clock.now.nanoseconds / 1_000_000_000)") }
                return .finished
            }.throttle(for: .seconds(10)))
        for event in 1...4 {
            loop.emit(event)
            clock.advance(by: .seconds(3))
        }
        clock.advance(by: .seconds(60))
        loop.emit(5)
        #expect(seen.value == ["1 at 0", "4 at 10", "5 at 72"])
    }

    @Test func aThrottleUnderTheQueueLosesNothing() {
        let seen = Box<[String]>([])
        let loop = start(
            Feedback.onEvent("a", strategy: .queue) { _, event, run -> EffectStatus in
                seen.change { $0.append("\(event) at \(run.clock.now.nanoseconds / 1_000_000_000)") }
                return .finished
            }.throttle(for: .seconds(10)))
        for event in 1...3 { loop.emit(event) }
        clock.advance(by: .seconds(60))
        #expect(seen.value == ["1 at 0", "2 at 10", "3 at 20"])
    }

    @Test func aRunThatDoesNotEndInTimeFailsAndItsLaterEventsAreLate() {
        let log = Counting.Log()
        let runs = Runs()
        let loop = start(
            Feedback.onState("slow", where: { $0 == 1 }, strategy: .continueOnNewState, run: runs.start)
                .timeout(after: .seconds(3)), log: log)
        loop.emit(1)
        let cancelled = Box(0)
        runs[0].onCancel { cancelled.change { $0 += 1 } }
        runs[0].emit(10)
        clock.advance(by: .seconds(3))
        #expect(log.lines.contains("fault slow at 2: the effect did not end within 3.0 seconds"))
        #expect(cancelled.value == 1)
        #expect(runs[0].isCancelled)
        #expect(runs[0].emit(20) == .cancelled)
        #expect(log.lines.contains("late 20 of slow 1"))
        #expect(loop.state == 11)
        #expect(loop.counters.late == 1)
        runs[0].finish()
        #expect(loop.counters.faults == 1)
    }

    @Test func aRunThatEndsInTimeLeavesNoTimer() {
        let runs = Runs()
        let loop = start(
            Feedback.onState("slow", where: { $0 == 1 }, run: runs.start).timeout(after: .seconds(3))
                .catch { _ in 100 })
        loop.emit(1)
        runs[0].finish()
        #expect(clock.timerCount == 0)
        clock.advance(by: .seconds(10))
        #expect(loop.state == 1)
    }

    @Test func aTimeoutBecomesAnEventThroughCatch() {
        let runs = Runs()
        let loop = start(
            Feedback.onState("slow", where: { $0 == 1 }, run: runs.start).timeout(after: .seconds(3))
                .catch { error in (error as? EffectTimeout)?.limit == .seconds(3) ? 50 : nil })
        loop.emit(1)
        clock.advance(by: .seconds(3))
        #expect(loop.state == 51)
    }

    @Test func anEffectThatFailsIsRetriedByTheClockWithinOneRun() {
        let log = Counting.Log()
        let attempts = Box(0)
        let loop = start(
            Feedback.onState("a", where: { $0 == 1 }, strategy: .continueOnNewState) { _ -> Int? in
                if attempts.change({ $0 += 1 }) < 3 { throw Counting.Failure() }
                return 10
            }.retry(3) { .seconds($0) }, log: log)
        loop.emit(1)
        #expect(attempts.value == 1)
        clock.advance(by: .seconds(1))
        #expect(attempts.value == 2)
        clock.advance(by: .seconds(2))
        #expect(attempts.value == 3)
        #expect(loop.state == 11)
        #expect(loop.counters.faults == 0)
        #expect(log.lines.filter { $0 == "run a 1" }.count == 1)
        #expect(log.lines.contains("end a 1"))
    }

    @Test func aRetriedEffectThatKeepsFailingFailsItsRunOnce() {
        let attempts = Box(0)
        let loop = start(
            Feedback.onState("a", where: { $0 == 1 }, strategy: .continueOnNewState) { _ -> Int? in
                attempts.change { $0 += 1 }
                throw Counting.Failure()
            }.retry(2))
        loop.emit(1)
        // Without a delay the clock is not used.
        #expect(attempts.value == 3)
        #expect(loop.counters.faults == 1)
    }

    @Test func aPendingRunThatFailsIsRetriedAndItsOldAttemptCanDoNothingMore() {
        let runs = Runs()
        let loop = start(
            Feedback.onState("a", where: { $0 == 1 }, strategy: .continueOnNewState, run: runs.start).retry(1)
        )
        loop.emit(1)
        runs[0].fail(Counting.Failure())
        #expect(runs.inputs == [1, 1])
        #expect(runs[0].emit(100) == .cancelled)
        #expect(runs[1].emit(10) == .queued)
        runs[1].finish()
        #expect(loop.state == 11)
    }

    @Test func aDisabledFeedbackStartsNothingAndItsRunContinues() {
        let isDisabled = Box(false)
        let runs = Runs()
        let loop = start(Feedback.onState("a", run: runs.start).disable { isDisabled.value })
        isDisabled.value = true
        loop.emit(1)
        #expect(runs.inputs == [0])
        #expect(!runs[0].isCancelled)
        isDisabled.value = false
        loop.emit(1)
        #expect(runs.inputs == [0, 2])
    }

    @Test func hooksSeeStatesAndEventsAndStack() {
        let seen = Box<[String]>([])
        let loop = start(
            Feedback.onState("a", where: { $0 < 2 }) { _ -> Int? in 1 }
                .onStateReceived { state in seen.change { $0.append("state \(state)") } }
                .onStateReceived { state in seen.change { $0.append("State \(state)") } }
                .onEventEmitted { event in seen.change { $0.append("event \(event)") } }
                .onEventEmitted { event in seen.change { $0.append("Event \(event)") } })
        #expect(loop.state == 2)
        #expect(
            seen.value == [
                "state 0", "State 0", "event 1", "Event 1", "state 1", "State 1", "event 1", "Event 1",
            ])
    }

    @Test func anEventHookSeesTheEventsOfAStreamForLaterStates() {
        let seen = Box<[Int]>([])
        let loop = start(
            Feedback.always("a", effect: { state, run in if state < 3 { run.emit(1) } })
                .onEventEmitted { event in seen.change { $0.append(event) } })
        #expect(loop.state == 3)
        #expect(seen.value == [1, 1, 1])
    }

    @Test func aRunThatTicksRemembersFewOfItsTimers() {
        let clock = CountingClock(clock)
        @Sendable func tick(_ run: Run<Int>) {
            run.resume(after: .seconds(1)) { run in
                tick(run)
                return .pending
            }
        }
        let loop = Spin(
            initialState: 0, reducer: Counting.reducer,
            feedbacks: [
                .always("tick") { _, run in
                    tick(run)
                    return .pending
                }
            ], executor: .caller, clock: clock
        ).start()
        for _ in 0..<1000 { self.clock.advance(by: .seconds(1)) }
        #expect(clock.tickets.value.count == 1001)
        #expect(clock.tickets.value.count { $0.object != nil } < 40)
        loop.stop()
        #expect(self.clock.timerCount == 0)
    }
}

/// A clock that knows which cancellations of its actions are still referenced.
private final class CountingClock: LoopClock {
    final class Ticket: Sendable {}
    struct Held: Sendable {
        weak let object: Ticket?
    }

    let tickets = Box<[Held]>([])
    private let clock: ManualClock

    init(_ clock: ManualClock) {
        self.clock = clock
    }

    var now: LoopInstant { clock.now }

    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        let ticket = Ticket()
        tickets.change { $0.append(Held(object: ticket)) }
        let cancellation = clock.schedule(at: instant, action)
        return Cancellation { withExtendedLifetime(ticket) { cancellation.cancel() } }
    }
}
