import HostLoop
import HostLoopTesting
import Testing

/// `onEach` under the modifiers of feedbacks.
@Suite struct EachModifierTests {
    typealias Each = Feedback<RequestLoop.State, RequestLoop.Event>

    private func spin(
        _ clock: ManualClock, _ feedback: Each, executor: LoopExecutor = .caller
    ) -> Spin<RequestLoop.State, RequestLoop.Event> {
        Spin(
            initialState: RequestLoop.State(), reducer: RequestLoop.reducer, feedbacks: [feedback],
            executor: executor,
            clock: clock)
    }

    private let echo = Each.onEach("each", requests: { $0.asks }, key: { $0.key }) {
        .heard("\($0.key)\($0.value)")
    }

    /// Emits the first value of a key and the later ones.
    private func values(fails: Box<Int> = Box(0)) -> Each {
        .onEach("each", requests: { $0.values }) { key, value, run in
            if fails.change({ $0 -= 1 }) >= 0 { throw Counting.Failure() }
            run.emit(.heard("first \(key)\(value)"))
            return .finished { value, run in run.emit(.heard("later \(key)\(value)")) }
        }
    }

    @Test func eachRunIsDelayedSeparatelyAndEndsWithItsKey() {
        let clock = ManualClock()
        let loop = spin(clock, echo.delay(for: .seconds(2))).start()
        loop.emit(.ask(["a": 1, "b": 1]))
        clock.advance(by: .seconds(1))
        loop.emit(.ask(["a": 1, "c": 1]))
        #expect(loop.state.heard.isEmpty)
        clock.advance(by: .seconds(1))
        #expect(loop.state.heard == ["a1"])
        clock.advance(by: .seconds(1))
        #expect(loop.state.heard == ["a1", "c1"])
    }

    @Test func aValueThatChangesBeforeTheEffectIsCalledIsItsFirst() {
        let clock = ManualClock()
        let loop = spin(clock, values().delay(for: .seconds(1))).start()
        for value in [1, 2, 3] { loop.emit(.ask(["a": value])) }
        clock.advance(by: .seconds(1))
        loop.emit(.ask(["a": 4]))
        #expect(loop.state.heard == ["first a3", "later a4"])
    }

    @Test func aRunThatIsCalledAgainAfterAFailureBeginsWithTheNewestValue() {
        let clock = ManualClock()
        let loop = spin(clock, values(fails: Box(2)).retry(2) { _ in .seconds(1) }).start()
        loop.emit(.ask(["a": 1]))
        loop.emit(.ask(["a": 2]))
        clock.advance(by: .seconds(1))
        loop.emit(.ask(["a": 3]))
        #expect(loop.state.heard.isEmpty)
        clock.advance(by: .seconds(1))
        loop.emit(.ask(["a": 4]))
        #expect(loop.state.heard == ["first a3", "later a4"])
        #expect(loop.counters.faults == 0)
    }

    @Test func tapsSeeEveryStateThatStartsOrUpdatesAndEveryEventInTheirOrder() {
        let seen = Box<[String]>([])
        let loop = spin(
            ManualClock(),
            values()
                .onEventEmitted { event in seen.change { $0.append("1 \(event)") } }
                .onEventEmitted { event in seen.change { $0.append("2 \(event)") } }
                .onStateReceived { state in seen.change { $0.append("state \(state.values)") } }
        ).start()
        loop.emit(.ask(["a": 1]))
        loop.emit(.ask(["a": 2]))
        loop.emit(.ask([]))
        #expect(
            seen.value == [
                #"state ["a": 1]"#, "1 first a1", "2 first a1", #"state ["a": 2]"#, "1 later a2",
                "2 later a2",
            ])
        #expect(loop.state.heard == ["first a1", "later a2"])
    }

    @Test func aDisabledFeedbackKeepsItsRunsAndCatchesUpAfterwards() {
        let isOff = Box(false)
        let runs = RequestRuns()
        let loop = spin(
            ManualClock(),
            .onEach("each", requests: { $0.asks }, key: { $0.key }, run: runs.start).disable { isOff.value }
        ).start()
        loop.emit(.ask(["a": 1]))
        isOff.value = true
        loop.emit(.ask(["b": 1]))
        #expect(runs.names == ["a1"])
        #expect(!runs["a1"].isCancelled)
        isOff.value = false
        loop.emit(.heard("again"))
        #expect(runs.names == ["a1", "b1"])
        #expect(runs["a1"].isCancelled)
        loop.stop()
        runs.finishAll()
    }

    @Test func wrappedEffectsOfKeysExecuteElsewhereToo() async {
        let log = RequestLoop.Log()
        let tapped = Box<Set<String>>([])
        let loop = spin(
            ManualClock(),
            echo.onEventEmitted { event in tapped.change { $0.insert("\(event)") } }.execute(on: .blocking),
            executor: .pool
        ).start(observers: [log])
        loop.emit(.ask(["a": 1, "b": 2, "c": 3]))
        await log.wait { $0.count { $0.hasPrefix("step") } == 4 }
        #expect(loop.state.heard.sorted() == ["a1", "b2", "c3"])
        #expect(tapped.value == ["a1", "b2", "c3"])
    }
}
