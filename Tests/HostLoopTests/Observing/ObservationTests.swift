import HostLoop
import Testing

/// Rule 16.
@Suite struct ObservationTests {
    @Test func observersSeeEverythingInOrder() {
        let log = Counting.Log()
        let runs = Runs()
        let loop = Counting.spin(
            .onEvent("sync", where: { _, event in event == 5 }, effect: { _, _ in 50 }),
            .onState("work", where: { $0 == 5 }, run: runs.start),
            .onState("broken", where: { $0 == 1 }, effect: { _ in throw Counting.Failure() })
        ).start(observers: [log])
        loop.emit(0)
        loop.emit(1)
        loop.emit(-9)
        loop.emit(4)
        loop.emit(5)
        runs[0].emit(7)
        loop.stop()
        runs.finishAll()
        #expect(
            log.lines == [
                "started 0",
                "quiescent",
                "unhandled 0",
                "quiescent",
                "step 1 1: 0 to 1",
                "run broken 1",
                #"fault broken at 1: Failure(text: "no")"#,
                "end broken 1",
                "quiescent",
                #"fault - at 1: Failure(text: "no")"#,
                "quiescent",
                "step 2 4: 1 to 5",
                "run work 1",
                "step 3 5: 5 to 10",
                "cancel work 1",
                "run sync 1",
                "end sync 1",
                "step 4 50: 10 to 60",
                "quiescent",
                "late 7 of work 1",
                "stopped",
            ])
        #expect(loop.counters.late == 1)
    }

    @Test func aStepTellsIndexEventOriginAndBothStates() {
        let log = Counting.Log()
        let loop = Counting.spin(from: 1, .onState("double", where: { $0 == 3 }, effect: { $0 })).start(
            observers: [log])
        loop.emit(2)
        let steps = log.steps
        #expect(steps.map(\.index) == [1, 2])
        #expect(steps.map(\.event) == [2, 3])
        #expect(steps.map(\.before) == [1, 3])
        #expect(steps.map(\.after) == [3, 6])
        #expect(steps[0].origin == .outside)
        #expect(steps[1].origin == .run(EffectRun(feedback: "double", index: 0, number: 1)))
    }

    @Test func observersSeeWhichEventStartedAnEffectAlsoForOneThatHadToWait() {
        final class Starts: LoopObserver {
            typealias State = Int
            let lines = Box<[String]>([])
            func effectStarted(_ run: EffectRun, by event: Int?) {
                lines.change { $0.append("\(run.feedback) \(run.number): \(event.map { "\($0)" } ?? "-")") }
            }
        }
        let starts = Starts()
        let runs = Runs()
        let loop = Counting.spin(
            .onState("any") { _, _ in .finished },
            .onEvent("queue", where: { _, event in event > 1 }) { _, event, run in runs.start(event, run) }
        ).start(observers: [starts])
        for event in [2, 3, 1] { loop.emit(event) }
        runs[0].finish()
        #expect(
            starts.lines.value == [
                "any 1: -", "any 2: 2", "queue 1: 2", "any 3: 3", "any 4: 1", "queue 2: 3",
            ])
    }

    @Test func severalObserversAreCalledInTheirOrder() {
        let lines = Box<[String]>([])
        let logs = (0..<2).map { number in
            Counting.Log { line in lines.change { $0.append("\(number) \(line)") } }
        }
        let loop = Counting.spin().start(observers: logs)
        loop.emit(1)
        #expect(
            lines.value == [
                "0 started 0", "1 started 0", "0 quiescent", "1 quiescent", "0 step 1 1: 0 to 1",
                "1 step 1 1: 0 to 1", "0 quiescent", "1 quiescent",
            ])
    }

    @Test func aLoopIsQuiescentOnlyWhenNoRunIsPending() {
        let log = Counting.Log()
        let runs = Runs()
        let loop = Counting.spin(.onEvent("a") { _, event, run in runs.start(event, run) }).start(observers: [
            log
        ])
        #expect(log.lines("quiescent").count == 1)
        loop.emit(1)
        loop.emit(2)
        #expect(log.lines("quiescent").count == 1)
        runs[0].finish()
        #expect(log.lines("quiescent").count == 1)
        runs[1].finish()
        #expect(log.lines("quiescent").count == 2)
        #expect(runs[1].emit(1) == .cancelled)
        #expect(log.lines.last == "late 1 of a 2")
        #expect(log.lines("quiescent").count == 2)
    }

    @Test func anObserverMayEmitWhenTheLoopIsQuiescent() {
        let emitter = Box<Emitter<Int>?>(nil)
        let log = Counting.Log { line in
            if line == "quiescent" { emitter.value?.emit(1) }
        }
        let loop = Counting.spin(until: { $0 == 4 }).start(observers: [log])
        emitter.value = loop.emitter
        loop.emit(1)
        #expect(loop.state == 4)
        #expect(log.lines.last == "stopped: until")
    }

    @Test func theClockIsNotReadForStepsWithoutObservers() {
        final class CountingClock: LoopClock {
            let reads = Box(0)

            var now: LoopInstant {
                reads.change { $0 += 1 }
                return LoopInstant(nanoseconds: 0)
            }

            func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
                Cancellation {}
            }
        }
        let clock = CountingClock()
        let spin = Counting.spin(clock: clock, .onState { $0 < 1000 ? 1 : nil })
        #expect(spin.start().state == 1000)
        #expect(clock.reads.value == 0)
        #expect(spin.start(observers: [Counting.Log()]).state == 1000)
        #expect(clock.reads.value == 2000)
    }

    @Test func observersThatDoNotSeeStepsSeeFaultsAndTheEndOnly() {
        let log = Counting.Log(seesSteps: false)
        let runs = Runs()
        let loop = Counting.spin(
            .onState("work", where: { $0 == 0 }, run: runs.start),
            .onState("broken", where: { $0 == 1 }, effect: { _ in throw Counting.Failure() })
        ).start(observers: [log])
        for event in [1, 0, -9] { loop.emit(event) }
        runs[0].emit(7)
        loop.stop()
        runs.finishAll()
        #expect(
            log.lines == [
                "started 0", #"fault broken at 1: Failure(text: "no")"#, "quiescent", "quiescent",
                #"fault - at 1: Failure(text: "no")"#, "quiescent", "stopped",
            ])
        #expect(loop.counters.late == 1)
        #expect(loop.counters.faults == 2)
    }

    @Test func aRunThatFailsInTheLastStepIsReported() {
        let log = Counting.Log()
        let runs = Runs()
        let loop = Counting.spin(
            until: { $0 == 1 },
            .onState("work", where: { $0 == 0 }, strategy: .continueOnNewState, run: runs.start),
            .onState("end", where: { $0 == 1 }) { _, run in
                runs[0].fail(Counting.Failure())
                runs[0].emit(7)
                return .finished
            }
        ).start(observers: [log])
        loop.emit(1)
        #expect(
            log.lines.suffix(4) == [
                #"fault work at 1: Failure(text: "no")"#, "end work 1", "late 7 of work 1", "stopped: until",
            ])
        #expect(loop.counters.faults == 1)
        #expect(loop.counters.late == 1)
    }
}
