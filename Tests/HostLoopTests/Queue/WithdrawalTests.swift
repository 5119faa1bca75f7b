import HostLoop
import Testing

/// Rule 10.
@Suite struct WithdrawalTests {
    /// A loop whose event 1 makes "a" emit `first`, then the outside 100; every further state makes "a" emit
    /// `second`.
    private func spin(
        _ emitter: Box<Emitter<Int>?>, first: [Int], second: [Int],
        strategy: Strategy = .cancelOnNewState
    ) -> Spin<Int, Int> {
        Counting.spin(
            .onEvent("outside", where: { _, event in event == 1 }) { _, _ in
                emitter.value?.emit(100)
                emitter.value?.emit(200)
                return nil
            },
            .onState("a", where: { $0 > 0 }, strategy: strategy) { state, run in
                run.emit(contentsOf: state == 1 ? first : state < 400 ? second : [])
                return .finished
            })
    }

    private func steps(first: [Int], second: [Int], strategy: Strategy = .cancelOnNewState) -> [String] {
        let emitter = Box<Emitter<Int>?>(nil)
        let log = Counting.Log()
        let loop = spin(emitter, first: first, second: second, strategy: strategy).start(observers: [log])
        emitter.value = loop.emitter
        loop.emit(1)
        return log.lines.filter { $0.hasPrefix("step") || $0.hasPrefix("withdrawn") }
    }

    @Test func eventsOfAReplacedRunAreWithdrawnAndTheNewRunTakesTheirPlace() {
        // The queue after the first step: 100, 200, 7.
        #expect(
            steps(first: [7], second: [300]) == [
                "step 1 1: 0 to 1",
                "step 2 100: 1 to 101", "withdrawn 7 of a 1",
                "step 3 200: 101 to 301", "withdrawn 300 of a 2",
                "step 4 300: 301 to 601",
            ])
    }

    @Test func theNewRunsFirstEntryComesBeforeEventsQueuedAfterTheWithdrawnOne() {
        let log = Counting.Log()
        let emitter = Box<Emitter<Int>?>(nil)
        let loop = Counting.spin(
            .onState("a", where: { $0 > 0 }) { $0 < 1000 ? 1000 + $0 : nil },
            .onEvent("outside", where: { _, event in event == 1 }) { _, _ in
                emitter.value?.emit(20)
                emitter.value?.emit(30)
                return nil
            },
            .onEvent("first", where: { _, event in event == 1 }) { _, _ in 2 }
        ).start(observers: [log])
        emitter.value = loop.emitter
        loop.emit(1)
        // The queue after the first step: 1001 of "a", 20, 30, 2 of "first".
        #expect(log.steps.map(\.event) == [1, 1001, 20, 30, 2])
    }

    @Test func aPlaceLapsesWhenTheNewRunEmitsNothingWithinTheStep() {
        let log = Counting.Log()
        let emitter = Box<Emitter<Int>?>(nil)
        let loop = Counting.spin(
            .onEvent("outside", where: { _, event in event == 1 }) { _, _ in
                emitter.value?.emit(10)
                return nil
            },
            .onState("a") { state in state == 1 ? 1000 : state == 31 ? 500 : nil },
            .onEvent("later", where: { _, event in event == 1 }) { _, _ in 20 },
            .onEvent("last", where: { _, event in event == 10 }) { _, _ in 40 }
        ).start(observers: [log])
        emitter.value = loop.emitter
        loop.emit(1)
        // 1000 is withdrawn at 11, and its position before 20 is vacant. At 31 the position has lapsed, so
        // 500 comes behind 40.
        #expect(log.steps.map(\.event) == [1, 10, 20, 40])
        #expect(log.lines("withdrawn") == ["withdrawn 1000 of a 2", "withdrawn 500 of a 4"])
    }

    @Test func aBatchIsWithdrawnWholeBeforeItIsBegun() {
        #expect(
            steps(first: [7, 8, 9], second: [500]) == [
                "step 1 1: 0 to 1",
                "step 2 100: 1 to 101", "withdrawn 7 of a 1", "withdrawn 8 of a 1", "withdrawn 9 of a 1",
                "step 3 200: 101 to 301", "withdrawn 500 of a 2",
                "step 4 500: 301 to 801",
            ])
    }

    @Test func aBatchThatWasBegunIsTakenToItsEndThoughItsRunIsOver() {
        let log = Counting.Log()
        let loop = Counting.spin(
            .onState("a") { state, run in
                if state == 0 { run.emit(contentsOf: [1, 2, 3]) }
                if state == 1 { run.emit(contentsOf: [10, 20]) }
                return .finished
            }
        ).start(observers: [log])
        #expect(log.steps.map(\.event) == [1, 2, 3])
        #expect(log.lines("withdrawn") == ["withdrawn 10 of a 2", "withdrawn 20 of a 2"])
        #expect(loop.counters.withdrawn == 2)
    }

    @Test(arguments: [Strategy.continueOnNewState, .skipWhileRunning, .queue])
    func eventsOfRunsThatAreNotCancelledAreNeverWithdrawn(strategy: Strategy) {
        let lines = steps(first: [7], second: [500], strategy: strategy)
        #expect(!lines.contains { $0.hasPrefix("withdrawn") })
        #expect(lines.contains("step 4 7: 301 to 308"))
    }

    @Test func theOriginalsStrategyDecidesWhetherARejectedStateWithdraws() {
        for (strategy, events) in [
            (Strategy.cancelOnNewState, [1, 2]), (.cancelOnNewMatch, [1, 2, 100]),
        ] {
            let log = Counting.Log()
            let loop = Counting.spin(
                .onEvent("two", where: { _, event in event == 1 }) { _, _ in 2 },
                .onState("a", where: { $0 == 1 }, strategy: strategy) { _ in 100 }
            ).start(observers: [log])
            loop.emit(1)
            #expect(log.steps.map(\.event) == events)
        }
    }

    @Test func aRequestThatDisappearsWithdrawsItsEvents() {
        let log = Counting.Log()
        let loop = Counting.spin(
            .onEvent("two", where: { _, event in event == 1 }) { _, _ in 2 },
            .onChange("a", request: { $0 == 1 ? true : nil }) { _ in 100 }
        ).start(observers: [log])
        loop.emit(1)
        #expect(log.steps.map(\.event) == [1, 2])
        #expect(log.lines("withdrawn") == ["withdrawn 100 of a 1"])
    }

    @Test func aRequestThatStaysTheSameKeepsItsEvents() {
        let loop = Counting.spin(
            .onEvent("two", where: { _, event in event == 1 }) { _, _ in 2 },
            .onChange("a", request: { _ in true }) { _ in 100 }
        ).start()
        loop.emit(1)
        #expect(loop.state == 103)
        #expect(loop.counters.withdrawn == 0)
    }

    @Test func eventsOfAPendingRunAreWithdrawnAndLaterOnesAreLate() {
        let log = Counting.Log()
        let runs = Runs()
        let loop = Counting.spin(
            .onState("a", where: { $0 == 0 }, run: runs.start),
            .onEvent("b", where: { _, event in event == 1 }) { _, _ in nil }
        ).start(observers: [log])
        loop.emit(1)
        #expect(runs[0].emit(7) == .cancelled)
        #expect(runs[0].emit(contentsOf: [8, 9]) == .cancelled)
        #expect(log.lines("late") == ["late 7 of a 1", "late 8 of a 1", "late 9 of a 1"])
        #expect(loop.counters.late == 3)
        #expect(loop.counters.withdrawn == 0)
        #expect(loop.state == 1)
        runs.finishAll()
    }

    @Test func entriesOfAPendingRunThatWaitInTheInboxAreWithdrawnToo() {
        let runs = Runs()
        // Observers come before endings: there the run still lasts, and its events wait in the inbox.
        let log = Counting.Log { line in
            guard line == "step 1 1: 0 to 1" else { return }
            #expect(runs[0].emit(7) == .queued)
            #expect(runs[0].emit(contentsOf: [8, 9]) == .queued)
        }
        let loop = Counting.spin(.onState("a", where: { $0 == 0 }, run: runs.start)).start(observers: [log])
        loop.emit(1)
        #expect(log.lines("withdrawn") == ["withdrawn 7 of a 1", "withdrawn 8 of a 1", "withdrawn 9 of a 1"])
        #expect(loop.counters.withdrawn == 3)
        #expect(loop.state == 1)
        runs.finishAll()
    }

    @Test func twoFeedbacksTakeTurnsEachOnTheNewestStateAndTheQueueStaysShort() {
        let log = LoopLog<Levels.State, Levels.Event>()
        let loop = Levels.spin().start(observers: [log])
        #expect(log.steps.map { $0.origin.run?.feedback } == (0..<5).flatMap { _ in ["left", "right"] })
        #expect(loop.counters.withdrawn == 10)
        #expect(loop.counters.late == 0)
    }
}
