import Dispatch
import TestSupport
import Testing

@testable import HostLoop

/// Rule 11.
@Suite struct MailboxTests {
    /// The objects that a test of one loop needs.
    private struct Stage {
        let log = Counting.Log()
        let runs = Runs()
        let answers = Box<[EmitResult]>([])
        let loop: Loop<Int, Int>

        /// A loop with a pending run of "a" for its whole life, whose event 1 makes "script" run `body` while
        /// the loop is busy.
        init(
            _ mailbox: MailboxCapacity, a strategy: Strategy = .skipWhileRunning,
            on trigger: Int = 1, _ body: @escaping @Sendable (Emitter<Int>, Runs, Run<Int>) -> [EmitResult]
        ) {
            let emitter = Box<Emitter<Int>?>(nil)
            let (runs, answers) = (runs, answers)
            loop = Counting.spin(
                mailbox: mailbox,
                .onState("a", strategy: strategy, run: { state, run in runs.start(state, run) }),
                .onEvent(
                    "script", where: { _, event in event == trigger },
                    run: { _, _, run in
                        guard let emitter = emitter.value else { return .finished }
                        let results = body(emitter, runs, run)
                        answers.change { $0 += results }
                        return .finished
                    })
            ).start(observers: [log])
            emitter.value = loop.emitter
            loop.emit(trigger)
        }

        var events: [Int] { log.steps.map(\.event) }
        var dropped: [String] { log.lines("dropped") }

        func end() {
            loop.stop()
            runs.finishAll()
        }
    }

    @Test func aFullMailboxThatRejectsAnswersFullAndKeepsWhatItHas() {
        let stage = Stage(.bounded(2)) { emitter, _, _ in [10, 20, 30, 40].map { emitter.emit($0) } }
        #expect(stage.answers.value == [.queued, .queued, .full, .full])
        #expect(stage.events == [1, 10, 20])
        #expect(stage.dropped == ["dropped 30 of outside", "dropped 40 of outside"])
        #expect(stage.loop.counters.dropped == 2)
        stage.end()
    }

    @Test func theOldestMakeRoomForTheNew() {
        let stage = Stage(.bounded(2, overflow: .dropOldest)) { emitter, _, _ in
            [10, 20, 30, 40].map { emitter.emit($0) }
        }
        #expect(stage.answers.value == [.queued, .queued, .queued, .queued])
        #expect(stage.events == [1, 30, 40])
        #expect(stage.dropped == ["dropped 10 of outside", "dropped 20 of outside"])
        stage.end()
    }

    @Test func theMostRecentlyQueuedMakesRoomForTheNew() {
        let stage = Stage(.bounded(2, overflow: .dropNewest)) { emitter, _, _ in
            [10, 20, 30, 40].map { emitter.emit($0) }
        }
        #expect(stage.answers.value == [.queued, .queued, .queued, .queued])
        #expect(stage.events == [1, 10, 40])
        #expect(stage.dropped == ["dropped 20 of outside", "dropped 30 of outside"])
        stage.end()
    }

    @Test(arguments: [
        (MailboxCapacity.Overflow.dropOldest, [1, 20, 5, 30], "dropped 10 of outside"),
        (.dropNewest, [1, 10, 5, 30], "dropped 20 of outside"),
    ])
    func eventsThatWereMovedToTheQueueMakeRoomToo(
        overflow: MailboxCapacity.Overflow, events: [Int], dropped: String
    ) {
        let stage = Stage(.bounded(2, overflow: overflow)) { emitter, _, run in
            // The call's own events come after 10 and 20, so these must move to the queue.
            [emitter.emit(10), emitter.emit(20), run.emit(5), emitter.emit(30)]
        }
        #expect(stage.events == events)
        #expect(stage.dropped == [dropped])
        stage.end()
    }

    @Test func eventsOfACallOnTheLoopsExecutorDoNotCount() {
        let stage = Stage(.bounded(1)) { emitter, _, run in
            [emitter.emit(10)] + (2...6).map { run.emit($0) } + [emitter.emit(20)]
        }
        #expect(stage.answers.value == [.queued, .queued, .queued, .queued, .queued, .queued, .full])
        #expect(stage.events == [1, 10, 2, 3, 4, 5, 6])
        stage.end()
    }

    @Test func anEntryOfSeveralEventsIsTakenWholeOrNotAtAll() {
        let stage = Stage(.bounded(3)) { emitter, runs, _ in
            [
                emitter.emit(10), runs[0].emit(contentsOf: [2, 3, 4]), runs[0].emit(contentsOf: [5, 6]),
                emitter.emit(20),
            ]
        }
        #expect(stage.answers.value == [.queued, .full, .queued, .full])
        #expect(stage.events == [1, 10, 5, 6])
        // The mailbox keeps only three to report before the next step.
        #expect(stage.dropped == ["dropped 2 of a 1", "dropped 3 of a 1", "dropped 4 of a 1"])
        #expect(stage.loop.counters.dropped == 4)
        stage.end()
    }

    @Test(arguments: MailboxCapacity.Overflow.allCases)
    func anEntryThatIsLargerThanTheMailboxNeverHasRoom(overflow: MailboxCapacity.Overflow) {
        let stage = Stage(.bounded(2, overflow: overflow)) { emitter, runs, _ in
            [emitter.emit(10), runs[0].emit(contentsOf: [2, 3, 4])]
        }
        #expect(stage.answers.value == [.queued, .full])
        #expect(stage.events == [1, 10])
        #expect(stage.loop.counters.dropped == 3)
        stage.end()
    }

    @Test func anEntryIsDroppedWholeAndItsRoomIsUsed() {
        let stage = Stage(.bounded(4, overflow: .dropOldest)) { emitter, runs, _ in
            [runs[0].emit(contentsOf: [2, 3, 4]), emitter.emit(10), emitter.emit(20), emitter.emit(30)]
        }
        #expect(stage.events == [1, 10, 20, 30])
        #expect(stage.loop.counters.dropped == 3)
        stage.end()
    }

    @Test func aWithdrawnEventGivesItsRoomBack() {
        let stage = Stage(.bounded(2), a: .cancelOnNewState, on: 10) { emitter, runs, _ in
            let run = runs[runs.inputs.count - 1]
            return [run.emit(20), run.emit(30), run.emit(40)]
        }
        // 20 withdraws nothing, 30 was emitted by the run that 20 replaced.
        #expect(stage.answers.value == [.queued, .queued, .full])
        #expect(stage.events == [10, 20])
        #expect(stage.log.lines("withdrawn") == ["withdrawn 30 of a 2"])
        let outside = (1...2).map { _ in stage.loop.emit(5) }
        #expect(outside == [.queued, .queued])
        stage.end()
    }

    @Test func anEventDroppedAmongThoseOfARunLeavesTheOthersToBeWithdrawn() {
        let stage = Stage(.bounded(3, overflow: .dropOldest), a: .cancelOnNewState) { emitter, runs, run in
            let a = runs[runs.inputs.count - 1]
            return [a.emit(20), a.emit(30), a.emit(40), run.emit(7), a.emit(50), a.emit(60)]
        }
        // 20 and 30 make room; 40 replaces the run that emitted 50 and 60.
        #expect(stage.events == [1, 40, 7])
        #expect(stage.dropped == ["dropped 20 of a 2", "dropped 30 of a 2"])
        #expect(stage.log.lines("withdrawn") == ["withdrawn 50 of a 2", "withdrawn 60 of a 2"])
        stage.end()
    }

    @Test func aLoopThatStopsDiscardsItsEvents() {
        let stage = Stage(.bounded(2)) { emitter, _, _ in
            [emitter.emit(10), emitter.emit(20), emitter.emit(30)]
        }
        let inside = Stage(.bounded(2)) { emitter, runs, run in
            let answers = [emitter.emit(10), run.emit(5), emitter.emit(20), emitter.emit(30)]
            return answers + [runs[0].isCancelled ? .cancelled : .queued]
        }
        stage.end()
        inside.end()
        #expect(stage.loop.emit(40) == .stopped)
        #expect(stage.loop.counters.discarded == 0)
        #expect(inside.answers.value == [.queued, .queued, .queued, .full, .queued])
    }

    @Test func requestsThatWaitForAQueuedFeedbackAreBoundedToo() {
        let runs = Runs()
        let loop = Counting.spin(
            mailbox: .bounded(2), .onEvent("a", run: { _, event, run in runs.start(event, run) })
        ).start()
        for event in 1...5 { loop.emit(event) }
        #expect(loop.counters.droppedRequests == 2)
        for index in 0..<3 { runs[index].finish() }
        #expect(runs.inputs == [1, 2, 3])
        #expect(loop.counters.steps == 5)
        loop.stop()
    }

    @Test(arguments: MailboxCapacity.Overflow.allCases)
    func memoryOfAFloodStaysWithinTheBound(overflow: MailboxCapacity.Overflow) {
        let core = Box<LoopCore<Int, Int>?>(nil)
        let most = Box<(items: Int, ring: Int)>((0, 0))
        let log = Counting.Log()
        let loop = Counting.spin(
            mailbox: .bounded(64, overflow: overflow),
            .onState { state in
                guard let core = core.value, state > 0, state < 20 else { return nil }
                for _ in 0..<10_000 {
                    _ = core.emit(1)
                    let items = core.inbox.withLock { $0.items.count }
                    most.change { $0.items = max($0.items, items) }
                }
                most.change { $0.ring = max($0.ring, core.queue.ring.count) }
                return nil
            }
        ).start(observers: [log])
        core.value = loop.core
        loop.emit(1)
        core.value = nil
        // Up to 64 of the oldest may not be dropped yet, and 64 more wait to be reported.
        #expect(most.value.items <= 3 * 64)
        #expect(most.value.ring <= 2 * 64)
        let counters = loop.counters
        #expect(counters.steps + counters.dropped == 190_001)
        #expect(counters.steps == 20 + 63)
        // The loop reports as many as have room between two steps.
        #expect(log.lines("dropped").count <= 20 * 64)
        #expect(log.lines("dropped").count >= 64)
    }

    @Test(arguments: MailboxCapacity.Overflow.allCases)
    func countsOfManyThreadsAddUp(overflow: MailboxCapacity.Overflow) async {
        let loop = Counting.spin(
            executor: .pool, mailbox: .bounded(16, overflow: overflow),
            .onState(effect: { $0 % 10 == 1 ? 9 : nil })
        ).start()
        let answers = Box<[EmitResult: UInt64]>([:])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            var own: [EmitResult: UInt64] = [:]
            for _ in 0..<10_000 { own[loop.emit(10), default: 0] += 1 }
            answers.change { all in for (answer, count) in own { all[answer, default: 0] += count } }
        }
        loop.stop()
        await loop.ended.wait()
        let counters = loop.counters
        #expect(counters.steps + counters.dropped + counters.discarded == 40_000)
        #expect(answers.value[.full, default: 0] == (overflow == .reject ? counters.dropped : 0))
        #expect(answers.value[.queued, default: 0] + answers.value[.full, default: 0] == 40_000)
    }

    @Test(arguments: MailboxCapacity.Overflow.allCases, 1...20 as ClosedRange<UInt64>)
    func everyEventOfRandomFeedbacksIsAccountedFor(overflow: MailboxCapacity.Overflow, seed: UInt64) {
        let random = Box(SeededGenerator(seed: seed))
        let emitted = Box(0)
        let emitter = Box<Emitter<Int>?>(nil)
        let runs = Box<[Run<Int>]>([])
        @Sendable func roll(_ count: Int) -> Int {
            var value = 0
            random.change { value = Int.random(in: 0..<count, using: &$0) }
            return value
        }
        @Sendable func events(_ count: Int) -> [Int] {
            (0..<count).map { _ in emitted.change { $0 += 1 } }
        }
        @Sendable func play(_ run: Run<Int>) -> EffectStatus {
            guard emitter.value != nil, emitted.value < 400 else { return .finished }
            for _ in 0..<roll(4) {
                let count = 1 + roll(3)
                let sender = runs.value.isEmpty ? run : runs.value[roll(runs.value.count)]
                switch roll(3) {
                case 0: run.emit(contentsOf: events(count))
                case 1: sender.emit(contentsOf: events(count))
                default: for event in events(1) { emitter.value?.emit(event) }
                }
            }
            guard roll(3) == 0 else { return .finished }
            runs.change { $0.append(run) }
            return .pending
        }
        let log = LoopLog<[Int], Int>()
        let loop = Spin<[Int], Int>(
            initialState: [],
            reducer: Reducer { (state: inout [Int], event: Int) -> Bool in
                state.append(event)
                return true
            },
            feedbacks: [
                .onState("a", run: { _, run in play(run) }),
                .onState("b", where: { $0.count % 3 != 0 }, strategy: .cancelOnNewMatch) { _, run in play(run)
                },
                .onState("c", strategy: .continueOnNewState, run: { _, run in play(run) }),
                .onEvent("d", strategy: .skipWhileRunning) { _, _, run in play(run) },
            ],
            mailbox: .bounded(5, overflow: overflow), executor: .caller
        ).start(observers: [log])
        emitter.value = loop.emitter
        for event in events(20) { loop.emit(event) }
        #expect(loop.waitingEvents == 0)
        loop.stop()
        for run in runs.value { run.finish() }
        let counters = loop.counters
        #expect(
            UInt64(emitted.value)
                == counters.steps + counters.dropped + counters.withdrawn + counters.late
                + counters.discarded)
        #expect(counters.discarded == 0)
        // Nothing is reduced twice, dropped twice, or both.
        let lost = log.lines.filter { line in
            ["dropped", "withdrawn", "late"].contains { line.hasPrefix($0) }
        }.compactMap { Int($0.split(separator: " ")[1]) }
        #expect(Set(lost).count == lost.count)
        #expect(Set(lost + loop.state).count == lost.count + loop.state.count)
        #expect(loop.state.count > 20)
    }
}
