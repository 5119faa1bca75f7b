import HostLoop
import Testing

/// Rule 8, `onEach` over dictionaries.
@Suite struct EachDictionaryTests {
    typealias Each = Feedback<RequestLoop.State, RequestLoop.Event>

    /// Keeps a pending run per key, writes down first and later values, and repeats the later ones.
    private func each(_ runs: RequestRuns, _ later: Box<[String]>) -> Each {
        .onEach("each", requests: { $0.values }) { key, value, run in
            runs.keep("\(key)\(value)", run)
            return .pending { value, run in
                later.change { $0.append("\(key)\(value) of \(run.number)") }
                if value > 4 { throw Counting.Failure(text: "\(value)") }
                if value > 1 { run.emit(contentsOf: [.heard("\(key)\(value)"), .heard("again")]) }
            }
        }
    }

    @Test func differentValuesFlowIntoTheKeptRunAndEqualOnesDoNot() {
        let runs = RequestRuns()
        let later = Box<[String]>([])
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(each(runs, later)).start(observers: [log])
        for asks: KeyValuePairs in [
            ["b": 1, "a": 1], ["a": 1, "b": 1], ["a": 2, "b": 1], ["a": 2, "b": 3], ["b": 4, "a": 3],
        ] {
            loop.emit(.ask(asks))
        }
        #expect(runs.names == ["a1", "b1"])
        #expect(later.value == ["a2 of 1", "b3 of 2", "a3 of 1", "b4 of 2"])
        #expect(loop.state.heard == ["a2", "again", "b3", "again", "a3", "again", "b4", "again"])
        #expect(log.runLines == ["run each 1", "run each 2"])
        loop.emit(.ask(["b": 4]))
        #expect(runs["a1"].isCancelled)
        #expect(!runs["b1"].isCancelled)
        loop.emit(.ask(["a": 1, "b": 4]))
        #expect(runs.names == ["a1", "b1", "a1"])
        loop.emit(.ask(["a": 2, "b": 4]))
        #expect(later.value.last == "a2 of 3")
        loop.stop()
        runs.finishAll()
    }

    @Test func eventsOfAnUpdateAreOneEntryOfTheRunAndAreWithdrawnWithIt() {
        let runs = RequestRuns()
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(each(runs, Box([]))).start(observers: [log])
        loop.emit(.ask(["a": 1, "b": 1]))
        loop.emit(.together([.ask(["a": 2, "b": 2]), .ask(["b": 2])]))
        #expect(loop.state.heard == ["b2", "again"])
        #expect(log.lines("withdrawn") == ["withdrawn a2 of each 1", "withdrawn again of each 1"])
        #expect(log.steps.last?.origin.run == EffectRun(feedback: "each", index: 1, number: 2))
        loop.stop()
        runs.finishAll()
    }

    @Test func anUpdateThatThrowsIsAFaultOrCaughtAndTheRunContinues() {
        let runs = RequestRuns()
        let log = RequestLoop.Log()
        let feedback = each(runs, Box([]))
        let loop = RequestLoop.spin(feedback).start(observers: [log])
        for value in [1, 5, 2] { loop.emit(.ask(["a": value])) }
        #expect(log.faults.map(\.source) == [.effect(EffectRun(feedback: "each", index: 1, number: 1))])
        #expect(loop.state.heard == ["a2", "again"])
        let caught = RequestLoop.spin(feedback.catch { .heard("\($0)") }).start()
        for value in [1, 5, 2] { caught.emit(.ask(["a": value])) }
        #expect(caught.state.heard == [#"Failure(text: "5")"#, "a2", "again"])
        loop.stop()
        caught.stop()
        runs.finishAll()
    }

    @Test func valuesOfARunThatFailedOrTakesNoneAreIgnored() {
        let seen = Box<[String]>([])
        let loop = RequestLoop.spin(
            .onEach("each", requests: { $0.values }) { key, value, _ in
                seen.change { $0.append("\(key)\(value)") }
                switch key {
                case "a": throw Counting.Failure()
                case "b": return .finished
                default: return .finished { value, _ in seen.change { $0.append("later \(key)\(value)") } }
                }
            }
        ).start()
        loop.emit(.ask(["a": 1, "b": 1, "c": 1]))
        loop.emit(.ask(["a": 2, "b": 2, "c": 2]))
        #expect(seen.value == ["a1", "b1", "c1", "later c2"])
        loop.emit(.ask([]))
        loop.emit(.ask(["a": 2]))
        #expect(seen.value.last == "a2")
    }

    @Test func theFormThatAnswersEventsIsGivenEveryDifferentValue() {
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(
            .onEach("each", requests: { $0.values }) { key, value in
                if value == 2 { throw Counting.Failure() }
                return .heard("\(key)\(value)")
            }
        ).start(observers: [log])
        for value in [2, 3, 3, 2, 4] { loop.emit(.ask(["a": value])) }
        #expect(loop.state.heard == ["a3", "a4"])
        #expect(loop.counters.faults == 2)
        #expect(log.lines("run each") == ["run each 1"])
        loop.emit(.together([.ask(["a": 5]), .ask(["a": 6]), .ask([])]))
        #expect(log.lines("withdrawn") == ["withdrawn a5 of each 1", "withdrawn a6 of each 1"])
    }

    @Test func aReceiverMayHoldItsRunWithoutHoldingTheLoop() {
        final class Token: Sendable {}
        weak var token: Token?
        do {
            let kept = Token()
            token = kept
            let loop = RequestLoop.spin(
                .onEach("each", requests: { $0.values }) { key, value, run in
                    // The effect's run, not the equal one that the update gets.
                    .pending { [kept] _, _ in
                        withExtendedLifetime(kept) { _ = run.emit(.heard(key)) }
                    }
                }
            ).start()
            loop.emit(.ask(["a": 1, "b": 1]))
            loop.emit(.ask(["a": 2]))
            #expect(token != nil)
        }
        #expect(token == nil)
    }

    // MARK: - Elsewhere

    @Test func onAnotherExecutorValuesComeInOrderNoneLeftOutAfterTheEffectHasReturned() async {
        let seen = Box<[Int]>([])
        let gate = Gate()
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(
            executor: .pool,
            Each.onEach("each", requests: { $0.values }) { key, value, _ in
                gate.pass()
                seen.change { $0.append(value) }
                return .finished { value, run in
                    seen.change { $0.append(value) }
                    if value == 50 { run.emit(.heard("\(key)\(value)")) }
                }
            }.execute(on: .blocking)
        ).start(observers: [log])
        for value in 0...50 { loop.emit(.ask(["a": value])) }
        await log.wait { $0.count { $0.hasPrefix("step") } == 51 }
        #expect(seen.value.isEmpty)
        gate.open()
        await log.wait { $0.contains { $0.hasPrefix("step 52 a50") } }
        #expect(seen.value == Array(0...50))
        #expect(log.lines("run each") == ["run each 1"])
    }

    @Test func valuesThatWaitGoWithTheirKey() async {
        let seen = Box<[String]>([])
        let (hasBegun, gate) = (Gate(), Gate())
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(
            executor: .pool,
            Each.onEach("each", requests: { $0.values }) { key, value, run in
                if value == 1 {
                    hasBegun.open()
                    gate.pass()
                }
                seen.change { $0.append("first \(value)") }
                run.emit(.heard("done \(value)"))
                return .finished { value, _ in seen.change { $0.append("later \(value)") } }
            }.execute(on: .blocking)
        ).start(observers: [log])
        loop.emit(.ask(["a": 1]))
        hasBegun.pass()
        for value in [2, 3] { loop.emit(.ask(["a": value])) }
        loop.emit(.ask([]))
        loop.emit(.ask(["a": 4]))
        await log.wait { $0.contains { $0.hasPrefix("step 5") } }
        gate.open()
        await log.wait { $0.contains { $0.hasPrefix("step 6 done 4") } }
        #expect(seen.value == ["first 1", "first 4"])
        #expect(log.lines("late") == ["late done 1 of each 1"])
    }
}
