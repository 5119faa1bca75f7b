import HostLoop
import Testing

/// Rule 9.
@Suite struct StrategyTests {
    private func spin(onState strategy: Strategy, _ runs: Runs) -> Spin<Int, Int> {
        Counting.spin(.onState("a", where: { $0 % 10 == 0 }, strategy: strategy, run: runs.start))
    }

    private func spin(onEvent strategy: Strategy, _ runs: Runs) -> Spin<Int, Int> {
        Counting.spin(
            .onEvent(
                "a", where: { _, event in event >= 10 }, strategy: strategy,
                run: { _, event, run in runs.start(event, run) }))
    }

    @Test func cancelOnNewStateCancelsAlsoForAStateThatTheFilterRejects() {
        let runs = Runs()
        let loop = spin(onState: .cancelOnNewState, runs).start()
        loop.emit(10)
        #expect(runs.inputs == [0, 10])
        #expect(runs[0].isCancelled)
        loop.emit(1)
        #expect(runs.inputs == [0, 10])
        #expect(runs[1].isCancelled)
        #expect(runs[1].emit(1) == .cancelled)
        runs.finishAll()
    }

    @Test func cancelOnNewMatchCancelsOnlyForAStateThatPasses() {
        let runs = Runs()
        let loop = spin(onState: .cancelOnNewMatch, runs).start()
        loop.emit(1)
        #expect(!runs[0].isCancelled)
        loop.emit(9)
        #expect(runs[0].isCancelled)
        #expect(runs.inputs == [0, 10])
        loop.stop()
        runs.finishAll()
    }

    @Test func continueOnNewStateLetsRunsOverlapInTheOrderOfCompletion() {
        let runs = Runs()
        let log = Counting.Log()
        let loop = spin(onState: .continueOnNewState, runs).start(observers: [log])
        loop.emit(10)
        loop.emit(10)
        #expect(runs.inputs == [0, 10, 20])
        runs[2].emit(103)
        runs[2].finish()
        runs[0].emit(101)
        runs[0].finish()
        #expect(log.steps.map(\.event) == [10, 10, 103, 101])
        #expect(log.steps.map(\.origin.run?.number) == [nil, nil, 3, 1])
        runs[1].finish()
        #expect(log.lines.last == "quiescent")
    }

    @Test func skipWhileRunningStartsNoneUntilTheRunIsOver() {
        let runs = Runs()
        let loop = spin(onState: .skipWhileRunning, runs).start()
        loop.emit(10)
        #expect(runs.inputs == [0])
        #expect(!runs[0].isCancelled)
        runs[0].finish()
        #expect(runs.inputs == [0])
        loop.emit(10)
        #expect(runs.inputs == [0, 20])
        runs.finishAll()
    }

    @Test func queueRunsOneAfterAnotherAndLosesNone() {
        let runs = Runs()
        let log = Counting.Log()
        let loop = spin(onState: .queue, runs).start(observers: [log])
        loop.emit(10)
        loop.emit(10)
        #expect(runs.inputs == [0])
        runs[0].emit(1)
        runs[0].finish()
        #expect(runs.inputs == [0, 10])
        runs[1].fail(Counting.Failure())
        #expect(runs.inputs == [0, 10, 20])
        #expect(!log.lines.contains("quiescent"))
        runs[2].finish()
        #expect(log.lines.last == "quiescent")
        #expect(loop.counters.faults == 1)
    }

    @Test func onEventQueuesByDefaultAndLosesNone() {
        let runs = Runs()
        let loop = spin(onEvent: .queue, runs).start()
        for event in [10, 11, 1, 12] { loop.emit(event) }
        #expect(runs.inputs == [10])
        runs[0].finish()
        runs[1].finish()
        #expect(runs.inputs == [10, 11, 12])
        runs.finishAll()
        #expect(!runs[0].isCancelled)
    }

    @Test func onEventSkipsWhileARunIsPending() {
        let runs = Runs()
        let loop = spin(onEvent: .skipWhileRunning, runs).start()
        loop.emit(10)
        loop.emit(11)
        runs[0].finish()
        loop.emit(12)
        #expect(runs.inputs == [10, 12])
        runs.finishAll()
    }

    @Test func onEventCancelsForANewMatchOnly() {
        let runs = Runs()
        let loop = spin(onEvent: .cancelOnNewMatch, runs).start()
        loop.emit(10)
        loop.emit(1)
        #expect(!runs[0].isCancelled)
        loop.emit(11)
        #expect(runs[0].isCancelled)
        #expect(runs.inputs == [10, 11])
        loop.stop()
        runs.finishAll()
    }

    @Test func onEventContinuesWithOverlappingRuns() {
        let runs = Runs()
        let loop = spin(onEvent: .continueOnNewState, runs).start()
        loop.emit(10)
        loop.emit(11)
        #expect(runs.inputs == [10, 11])
        runs[1].emit(2)
        runs[0].emit(1)
        #expect(loop.state == 24)
        runs.finishAll()
    }

    @Test func synchronousRunsThatQueueAreCalledWithinTheirOwnStep() {
        let log = Counting.Log()
        let loop = Counting.spin(.onEvent("a", effect: { _, event in event < 3 ? event + 1 : nil }))
            .start(observers: [log])
        loop.emit(1)
        #expect(log.steps.map(\.event) == [1, 2, 3])
        #expect(log.lines("run") == ["run a 1", "run a 2", "run a 3"])
    }
}
