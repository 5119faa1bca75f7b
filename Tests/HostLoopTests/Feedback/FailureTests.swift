import HostLoop
import Testing

/// Rule 12.
@Suite struct FailureTests {
    private let failing = Feedback<Int, Int>.onEvent("a", where: { _, event in event == 1 }) { _, _ in
        throw Counting.Failure(text: "broken")
    }

    @Test func anEffectThatThrowsIsAFaultAndTheLoopLivesOn() {
        let log = Counting.Log()
        let loop = Counting.spin(failing).start(observers: [log])
        loop.emit(1)
        loop.emit(2)
        #expect(loop.state == 3)
        #expect(loop.counters.faults == 1)
        #expect(log.lines("fault") == [#"fault a at 1: Failure(text: "broken")"#])
        #expect(log.faults.first?.source == .effect(EffectRun(feedback: "a", index: 0, number: 1)))
        #expect(log.faults.first?.error as? Counting.Failure == Counting.Failure(text: "broken"))
    }

    @Test func catchTurnsAnErrorIntoAnEventOfTheRun() {
        let log = Counting.Log()
        let loop = Counting.spin(failing.catch { error in error is Counting.Failure ? 10 : nil })
            .start(observers: [log])
        loop.emit(1)
        #expect(loop.state == 11)
        #expect(loop.counters.faults == 0)
        #expect(log.steps.last?.origin == .run(EffectRun(feedback: "a", index: 0, number: 1)))
    }

    @Test func anErrorThatCatchDeclinesIsAFault() {
        let loop = Counting.spin(failing.catch { _ in nil }).start()
        loop.emit(1)
        #expect(loop.state == 1)
        #expect(loop.counters.faults == 1)
    }

    @Test func eventsThatARunEmitsBeforeItFailsAreReduced() {
        let loop = Counting.spin(
            .onEvent(
                where: { _, event in event == 1 },
                run: { _, _, run in
                    run.emit(10)
                    throw Counting.Failure()
                }
            ).catch { _ in 100 }
        ).start()
        loop.emit(1)
        #expect(loop.state == 111)
    }

    @Test func aPendingRunFailsThroughCatchToo() {
        let runs = Runs()
        let log = Counting.Log()
        let feedback = Feedback<Int, Int>.onEvent("a", strategy: .continueOnNewState) { _, event, run in
            runs.start(event, run)
        }
        let loop = Counting.spin(feedback.catch { ($0 as? Counting.Failure)?.text == "caught" ? 100 : nil })
            .start(observers: [log])
        loop.emit(1)
        loop.emit(2)
        runs[0].fail(Counting.Failure(text: "caught"))
        runs[1].fail(Counting.Failure(text: "uncaught"))
        #expect(loop.state == 103)
        #expect(log.lines("fault") == [#"fault a at 3: Failure(text: "uncaught")"#])
        #expect(log.lines("end") == ["end a 1", "end a 2"])
        runs[2].finish()
    }

    @Test func theFailureOfACancelledRunIsIgnored() {
        let runs = Runs()
        let loop = Counting.spin(
            Feedback.onState("a", where: { $0 == 0 }, run: runs.start).catch { _ in 1000 }
        ).start()
        loop.emit(1)
        runs[0].fail(Counting.Failure())
        #expect(loop.state == 1)
        #expect(loop.counters.faults == 0)
        #expect(loop.counters.late == 0)
    }

    @Test func anEffectElsewhereThatThrowsIsCaughtOrAFault() async {
        let log = Counting.Log()
        let loop = Counting.spin(
            executor: .pool,
            Feedback.onState("caught", where: { $0 == 0 }, strategy: .continueOnNewState) { _ in
                throw Counting.Failure(text: "one")
            }.catch { _ in 5 }.execute(on: .blocking),
            Feedback.onState("uncaught", where: { $0 == 5 }) { _ in throw Counting.Failure(text: "two") }
                .execute(on: .pool)
        ).start(observers: [log])
        await log.wait(for: "quiescent")
        #expect(loop.state == 5)
        #expect(log.lines("fault") == [#"fault uncaught at 1: Failure(text: "two")"#])
    }
}
