import HostLoop
import HostLoopTesting
import TestSupport
import Testing

/// A loop continues another one: no event and no run of either is lost, and nothing happens twice.
@Suite struct SuccessionTests {
    /// In the next loop an event becomes a hundred times its value. Events over 90 have no meaning there.
    private static func succession(_ feedbacks: [Int: Int]) -> LoopSuccession<Int> {
        LoopSuccession(feedbacks: feedbacks) { $0 > 90 ? nil : $0 * 100 }
    }

    private static func rest(_ loop: Loop<Int, Int>) {
        let rests = Box(false)
        #expect(loop.park { rests.value = $0 })
        #expect(rests.value)
    }

    /// The loop that continues a parked one; it has begun.
    private static func follow(
        _ loop: Loop<Int, Int>, _ spin: Spin<Int, Int>, _ feedbacks: [Int: Int] = [:],
        _ log: Counting.Log = Counting.Log()
    ) -> Loop<Int, Int> {
        let (next, cancel) = spin.loop(observers: [log], inPlaceOf: loop, succession(feedbacks))
        cancel()
        next.unpark()
        return next
    }

    /// A feedback that runs for each event from 10 to 89.
    private func large(_ runs: Runs, _ strategy: Strategy = .continueOnNewState) -> Feedback<Int, Int> {
        .onEvent(
            "large", where: { _, event in 10..<90 ~= event }, strategy: strategy,
            run: { _, event, run in runs.start(event, run) })
    }

    @Test func aLoopThatRestsTakesEventsAndReducesThemLater() {
        let loop = Counting.spin().start()
        loop.emit(1)
        Self.rest(loop)
        #expect(loop.emit(2) == .queued)
        #expect(loop.state == 1)
        loop.unpark()
        #expect(loop.state == 3)
        #expect(loop.emit(3) == .queued)
        #expect(loop.state == 6)
    }

    @Test func aLoopThatHasStoppedDoesNotRest() {
        let loop = Counting.spin().start()
        loop.stop()
        #expect(!loop.park { _ in Issue.record("nothing rests") })
    }

    @Test func aLoopThatIsStoppedWhileItIsParkedEndsWhenItIsUnparked() {
        let loop = Counting.spin().start()
        Self.rest(loop)
        loop.stop()
        let next = Self.follow(loop, Counting.spin(from: 5))
        #expect(next.state == 5)
        let ended = Box(false)
        loop.ended.notify { ended.value = true }
        loop.unpark()
        #expect(ended.value)
    }

    @Test func eventsThatWaitAreTakenFirstInTheirOrder() {
        let loop = Counting.spin().start()
        Self.rest(loop)
        for event in [1, 95, 2] { loop.emit(event) }
        let log = Counting.Log()
        let next = Self.follow(loop, Counting.spin(from: 7), [:], log)
        #expect(log.lines.first == "started 7")
        #expect(log.steps.map(\.event) == [100, 200])
        #expect(next.counters.discarded == 1)
        // An emitter of the previous loop works, too.
        #expect(loop.emit(3) == .queued)
        #expect(loop.emit(99) == .stopped)
        #expect(next.state == 607)
        #expect(next.counters.discarded == 2)
        #expect(next.emit(1) == .queued)
        #expect(next.state == 608)
        let ended = Box(false)
        loop.ended.notify { ended.value = true }
        #expect(ended.value)
    }

    @Test func aRunContinuesInTheFeedbackThatContinuesIt() {
        let (runs, later) = (Runs(), Runs())
        let loop = Counting.spin(large(runs)).start()
        loop.emit(10)
        Self.rest(loop)
        runs[0].emit(1)
        let log = Counting.Log()
        let next = Self.follow(
            loop, Counting.spin(.onChange("new", request: { $0 }, run: { _, _ in .finished }), large(later)),
            [0: 1], log)
        #expect(log.steps.map(\.event) == [100])
        #expect(log.steps.map(\.origin.run?.feedback) == ["large"])
        #expect(!runs[0].isCancelled)
        #expect(runs[0].emit(2) == .queued)
        #expect(runs[0].emit(contentsOf: [3, 95, 4]) == .queued)
        #expect(log.steps.map(\.event) == [100, 200, 300, 400])
        next.emit(10)
        #expect(later.inputs == [10], "only that is new")
        #expect(next.ended.running.map(\.number) == [1, 2])
        let heard = Box(false)
        runs[0].onCancel { heard.value = true }
        #expect(!heard.value)
        next.stop()
        #expect(heard.value)
        #expect(runs[0].isCancelled)
        #expect(runs[0].emit(2) == .stopped)
        let ended = Box(false)
        next.ended.notify { ended.value = true }
        later.finishAll()
        #expect(!ended.value)
        runs.finishAll()
        #expect(ended.value)
    }

    @Test func aRunWithoutAContinuationIsCancelledAndWithdrawn() {
        let runs = Runs()
        let loop = Counting.spin(.onChange("a", request: { $0 }, run: { runs.start($0, $1) })).start()
        Self.rest(loop)
        runs[0].emit(1)
        let next = Self.follow(loop, Counting.spin())
        #expect(runs[0].isCancelled)
        #expect(runs[0].emit(1) == .stopped)
        #expect(next.state == 0)
        let ended = Box(false)
        loop.ended.notify { ended.value = true }
        #expect(!ended.value)
        runs.finishAll()
        #expect(ended.value)
    }

    @Test func aRunOnStatesContinuesWhileItsConditionHolds() {
        let (runs, later) = (Runs(), Runs())
        func feedback(_ runs: Runs) -> Feedback<Int, Int> {
            .onState("a", where: { $0 < 5 }, strategy: .cancelOnNewState, run: { runs.start($0, $1) })
        }
        let loop = Counting.spin(feedback(runs)).start()
        Self.rest(loop)
        let next = Self.follow(loop, Counting.spin(feedback(later)), [0: 0])
        #expect(later.inputs.isEmpty)
        #expect(!runs[0].isCancelled)
        next.emit(1)
        #expect(runs[0].isCancelled)
        #expect(later.inputs == [1])
        #expect(later[0].number == 2)
        Self.rest(next)
        let last = Self.follow(next, Counting.spin(from: 9, feedback(runs)), [0: 0])
        #expect(later[0].isCancelled, "the condition does not hold any more")
        #expect(last.state == 9)
        later.finishAll()
        runs.finishAll()
    }

    @Test(arguments: [true, false]) func furtherCallsActForTheirRun(isDueAtRest: Bool) {
        let clock = ManualClock()
        func feedback() -> Feedback<Int, Int> {
            .onEvent("late", where: { _, event in event == 5 }, strategy: .continueOnNewState) { _, _, run in
                run.resume(after: .seconds(1)) { run in
                    run.emit(contentsOf: [1, 2])
                    return .finished
                }
                return .pending
            }
        }
        let loop = Counting.spin(clock: clock, feedback()).start()
        loop.emit(5)
        Self.rest(loop)
        if isDueAtRest { clock.advance(by: .seconds(1)) }
        let log = Counting.Log()
        let next = Self.follow(loop, Counting.spin(clock: clock, feedback()), [0: 0], log)
        if !isDueAtRest { clock.advance(by: .seconds(1)) }
        #expect(log.steps.map(\.event) == [100, 200])
        #expect(next.ended.running.isEmpty)
    }

    @Test func callsThatWaitForTheirTurnAreMadeAsTheyWereAskedFor() {
        let (runs, later) = (Runs(), Runs())
        let loop = Counting.spin(large(runs, .queue)).start()
        for event in [10, 11, 12] { loop.emit(event) }
        #expect(runs.inputs == [10])
        Self.rest(loop)
        let log = Counting.Log()
        let next = Self.follow(loop, Counting.spin(large(later, .queue)), [0: 0], log)
        runs[0].finish()
        #expect(runs.inputs == [10, 11])
        runs[1].emit(1)
        #expect(later.inputs == [])
        runs[1].finish()
        #expect(runs.inputs == [10, 11, 12])
        #expect(log.steps.map(\.event) == [100])
        next.emit(13)
        #expect(later.inputs == [])
        runs[2].finish()
        #expect(later.inputs == [13])
        later.finishAll()
    }

    @Test func aCallThatExecutesElsewhereReturnsToTheLoopThatIsThere() async {
        let (began, goOn) = (Gate(), Gate())
        func feedback() -> Feedback<Int, Int> {
            Feedback.onEvent("away", where: { _, event in event == 5 }, strategy: .queue) { _, _, run in
                began.open()
                goOn.pass()
                run.emit(1)
                return .finished
            }
            .execute(on: .blocking)
        }
        let loop = Counting.spin(feedback()).start()
        loop.emit(5)
        loop.emit(5)
        began.pass()
        Self.rest(loop)
        let log = Counting.Log()
        let next = Self.follow(loop, Counting.spin(feedback()), [0: 0], log)
        #expect(next.ended.running.count == 1)
        goOn.open()
        began.pass()
        goOn.open()
        await log.wait(for: "end away 2")
        #expect(log.steps.map(\.event) == [100, 100])
        #expect(next.ended.running.isEmpty)
    }

    @Test func aWaitForRoomEndsWithTheHandover() async {
        let loop = Counting.spin(mailbox: .bounded(1, overflow: .dropNewest)).start()
        Self.rest(loop)
        #expect(loop.emit(1) == .queued)
        let waits = Task.immediate { await loop.send(2) }
        let next = Self.follow(loop, Counting.spin(mailbox: .bounded(1, overflow: .dropNewest)))
        #expect(await waits.value == .queued)
        #expect(next.state == 300)
    }

    @Test func aSendToAnUnboundedLoopWaitsForRoomInItsBoundedSuccessor() async {
        let loop = Counting.spin().start()
        Self.rest(loop)
        let (next, cancel) = Counting.spin(mailbox: .bounded(1)).loop(
            observers: [], inPlaceOf: loop, Self.succession([:]))
        cancel()
        #expect(loop.emit(1) == .queued)
        let waits = Task.immediate { await loop.send(2) }
        next.unpark()
        #expect(await waits.value == .queued)
        #expect(next.state == 300)
        #expect(next.counters.dropped == 0)
    }

    @Test func aRequestedCallThatIsNotMade_endsItsRun() {
        let clock = ManualClock()
        let delayed = Feedback<Int, Int>.onEvent(
            "late", where: { _, event in event == 5 }, strategy: .continueOnNewState
        ) { _, _, run in
            run.resume(after: .seconds(1)) { _ in .finished }
            return .pending
        }
        let loop = Counting.spin(clock: clock, delayed).start()
        loop.emit(5)
        Self.rest(loop)
        clock.advance(by: .seconds(1))
        let next = Self.follow(loop, Counting.spin(clock: clock))
        let ended = Box(false)
        loop.ended.notify { ended.value = true }
        #expect(ended.value)
        #expect(next.ended.running.isEmpty)
    }

    @Test func requestsOfAFeedback_continueAlsoFromALoopThatHasStopped() {
        let (runs, later) = (Runs(), Runs())
        func feedback(_ runs: Runs) -> Feedback<Int, Int> {
            .onState("a", where: { $0 > 2 }, strategy: .cancelOnNewState, run: { runs.start($0, $1) })
        }
        let loop = Counting.spin(until: { $0 == 3 }, feedback(runs)).start()
        loop.emit(3)
        #expect(runs.inputs == [3])
        runs.finishAll()
        let log = Counting.Log()
        let next = Self.follow(
            loop, Counting.spin(from: 3, until: { $0 == 3 }, feedback(later)), [0: 0], log)
        #expect(later.inputs.isEmpty)
        #expect(log.lines == ["started 3", "stopped: until"])
        #expect(next.counters.steps == 1)
    }

    @Test func countsOfALoopThatHasStopped_continue() {
        let late = Feedback<Int, Int>.onState(
            "late", where: { $0 == 3 },
            run: { _, run in
                run.emit(1)
                return .finished
            })
        let loop = Counting.spin(until: { $0 == 3 }, late).start()
        loop.emit(3)
        #expect(loop.counters.discarded == 1)
        let next = Self.follow(loop, Counting.spin(from: 3))
        #expect(next.counters.discarded == 1)
        #expect(next.counters.steps == 1)
    }

    @Test func eventsOfItems_areWithdrawnWithTheirRuns() {
        let runs = Runs()
        let items = Feedback<Int, Int>.onEach(
            "items", requests: { $0 < 5 ? [1, 2] : [] }, key: { $0 }, run: { runs.start($0, $1) })
        let loop = Counting.spin(items).start()
        #expect(runs.inputs == [1, 2])
        Self.rest(loop)
        runs[0].emit(1)
        let next = Self.follow(loop, Counting.spin())
        #expect(next.state == 0)
        #expect(next.counters.withdrawn == 1)
        #expect(runs[0].isCancelled && runs[1].isCancelled)
        runs.finishAll()
    }

    @Test(arguments: [MailboxCapacity.unbounded, .bounded(8)])
    func anEventThatTheSuccessorTakes_isNotCountedAsRefused(mailbox: MailboxCapacity) async {
        let (runs, later) = (Runs(), Runs())
        let loop = Counting.spin(mailbox: mailbox, large(runs)).start()
        loop.emit(10)
        Self.rest(loop)
        let next = Self.follow(loop, Counting.spin(mailbox: mailbox, large(later)), [0: 0])
        #expect(loop.emit(1) == .queued)
        #expect(loop.emitter.emit(2) == .queued)
        #expect(await loop.send(3) == .queued)
        #expect(await loop.emitter.send(4) == .queued)
        #expect(runs[0].emit(5) == .queued)
        #expect(next.state == 1500)
        #expect(loop.emit(95) == .stopped)
        #expect(await loop.emitter.send(96) == .stopped)
        #expect(next.counters.discarded == 2)
        #expect(loop.counters.refused == 0)
        #expect(next.counters.refused == 0)
        runs.finishAll()
        next.stop()
        #expect(loop.emit(6) == .stopped)
        #expect(await loop.emitter.send(7) == .stopped)
        #expect(loop.counters.refused == 0)
        #expect(next.counters.refused == 2)
    }

    @Test(arguments: [MailboxCapacity.unbounded, .bounded(1)], [false, true])
    func eventsPerformedAtRest_areReducedOnceAfterwards(mailbox: MailboxCapacity, isObserved: Bool) {
        let log = Counting.Log()
        let loop = Counting.spin(mailbox: mailbox).start(observers: isObserved ? [log] : [])
        Self.rest(loop)
        #expect(loop.perform(1) == .queued)
        #expect(loop.emitter.perform([2, 0, 3]) == .queued)
        #expect(loop.counters.steps == 0)
        loop.unpark()
        #expect(loop.state == 6)
        #expect(loop.counters.steps == 3)
        #expect(loop.counters.unhandled == 1)
        #expect(loop.counters.dropped == 0)
        if isObserved { #expect(log.steps.map(\.event) == [1, 2, 3]) }
    }

    @Test(arguments: [MailboxCapacity.unbounded, .bounded(1)], [false, true])
    func eventsPerformedAtRest_areThoseOfTheSuccessor(mailbox: MailboxCapacity, isObserved: Bool) {
        let (log, later) = (Counting.Log(), Counting.Log())
        let loop = Counting.spin(mailbox: mailbox).start(observers: isObserved ? [log] : [])
        loop.emit(1)
        Self.rest(loop)
        #expect(loop.perform(2) == .queued)
        #expect(loop.emitter.perform([3, 0, 95, 4]) == .queued)
        let next = Self.follow(loop, Counting.spin(from: loop.state, mailbox: mailbox), [:], later)
        #expect(later.steps.map(\.event) == [200, 300, 400])
        #expect(next.state == 901)
        #expect(next.counters.steps == 4)
        #expect(next.counters.unhandled == 1)
        #expect(next.counters.discarded == 1)
        #expect(next.counters.dropped == 0)
        if isObserved { #expect(log.steps.map(\.event) == [1]) }
    }

    @Test(arguments: [MailboxCapacity.unbounded, .bounded(8)], [false, true])
    func eventsPerformedOnALoopThatWasFollowed_areThoseOfTheSuccessor(
        mailbox: MailboxCapacity, isObserved: Bool
    ) {
        let (log, later) = (Counting.Log(), Counting.Log())
        let loop = Counting.spin(mailbox: mailbox).start(observers: isObserved ? [log] : [])
        Self.rest(loop)
        let next = Self.follow(loop, Counting.spin(mailbox: mailbox), [:], later)
        #expect(loop.perform(1) == .queued)
        #expect(loop.emitter.perform([2, 95, 3]) == .queued)
        #expect(later.steps.map(\.event) == [100, 200, 300])
        #expect(next.counters.steps == 3)
        #expect(next.counters.discarded == 1)
        #expect(loop.counters.steps == 0)
        #expect(loop.counters.refused == 0)
        #expect(next.counters.refused == 0)
        #expect(log.steps.isEmpty)
    }

    @Test func anEntryStaysOneEntryInTheSuccessor() {
        let (runs, later) = (Runs(), Runs())
        func feedback(_ runs: Runs) -> Feedback<Int, Int> { .onState("a", run: { runs.start($0, $1) }) }
        let loop = Counting.spin(feedback(runs)).start()
        Self.rest(loop)
        runs[0].emit(contentsOf: [1, 2, 3])
        let next = Self.follow(loop, Counting.spin(feedback(later)), [0: 0])
        #expect(next.state == 600)
        #expect(next.counters.withdrawn == 0)
        next.stop()
        runs.finishAll()
        later.finishAll()
    }

    @Test func appliedEventsAreDeliveredBeforeTheLoopRests() {
        let loop = Counting.spin().start()
        #expect(loop.apply([1]))
        Self.rest(loop)
        #expect(loop.state == 1)
        #expect(loop.counters.steps == 1)
        loop.unpark()
    }

    @Test func eachRequestToRestIsAnswered() {
        let answers = Box(0)
        let loop = Counting.spin(executor: .serial("own")).start()
        let isAccepted = loop.betweenSteps { [weak loop] in
            for _ in 0..<2 { _ = loop?.park { rests in if rests { answers.change { $0 += 1 } } } }
        }
        #expect(isAccepted)
        try? blockUntil { answers.value == 2 }
        #expect(answers.value == 2)
        loop.unpark()
    }
}
