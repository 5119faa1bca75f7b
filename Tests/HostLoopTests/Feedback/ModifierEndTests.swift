@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import HostLoopTesting
import Testing

/// Runs behind modifiers: further calls, cancellation, and ends.
@Suite(.timeLimit(.minutes(10))) struct ModifierEndTests {
    typealias Counter = Feedback<Int, Int>

    private let clock = ManualClock()

    private func start(_ feedback: Counter, log: Counting.Log = Counting.Log()) -> Loop<Int, Int> {
        Counting.spin(clock: clock, feedback).start(observers: [log])
    }

    private func scoped(_ feedback: Counter) -> Counter {
        feedback.scoped(state: { $0 }, event: { $0 }, embed: { $0 })
    }

    @Test func theRunOfACancelledFlowEndsBehindEveryModifier() {
        let never = Counter.onState("a", where: { $0 == 1 }, flow: { _ in .never })
        let modified: [Counter] = [
            never, never.timeout(after: .seconds(1)), never.retry(2), never.onEventEmitted { _ in () },
            never.retry(2).timeout(after: .seconds(1)), never.timeout(after: .seconds(1)).retry(2),
            never.delay(for: .zero).retry(2), scoped(never),
        ]
        for modified in modified {
            let loop = start(modified)
            loop.emit(1)
            clock.advance(by: .zero)
            #expect(loop.ended.running.count == 1)
            loop.emit(1)
            #expect(loop.ended.running.isEmpty)
            #expect(clock.timerCount == 0)
        }
    }

    @Test func aRunThatIsCancelledBeforeItIsCalledAgainEnds() {
        let never = Counter.onState("a", where: { $0 == 1 }, flow: { _ in .never })
        let failing = Counter.onState("a", where: { $0 == 1 }, flow: { _ in .fail(FlowFailure("no")) })
        let modified: [Counter] = [
            never.delay(for: .seconds(1)), never.delay(for: .seconds(1)).timeout(after: .seconds(5)),
            never.timeout(after: .seconds(5)).delay(for: .seconds(1)), scoped(never.delay(for: .seconds(1))),
            never.debounce(for: .seconds(1)), failing.retry(1) { _ in .seconds(1) },
            failing.retry(1) { _ in .seconds(1) }.onEventEmitted { _ in () },
        ]
        for modified in modified {
            for stops in [false, true] {
                let loop = start(modified)
                loop.emit(1)
                #expect(loop.ended.running.count == 1)
                if stops { loop.stop() } else { loop.emit(1) }
                #expect(loop.ended.running.isEmpty)
                #expect(clock.timerCount == 0)
            }
        }
    }

    @Test func aRunThatAsksForACallAfterItsCancellationEnds() async {
        let runs = Runs()
        let loop = start(.onState("a", where: { $0 == 1 }, run: runs.start))
        loop.emit(1)
        loop.emit(1)
        runs[0].resume { _ in .pending }
        #expect(loop.ended.running.isEmpty)
        let log = Counting.Log()
        let gate = Gate()
        let other = start(
            Counter.onState("a", where: { $0 == 1 }) { _, run in
                run.resume { _ in .finished }
                run.emit(1)
                gate.pass()
                return .pending
            }.execute(on: .serial("other", blocking: true)), log: log)
        other.emit(1)
        await log.wait(for: "cancel a 1")
        other.stop()
        gate.open()
        await other.ended.wait()
    }

    @Test func aLoopEndsThoughACancelledEffectElsewhereThrowsBehindAModifier() async {
        let log = Counting.Log()
        let isCancelled = Gate()
        let loop = start(
            Counter.onState("a", where: { $0 == 1 }) { _, run in
                run.onCancel { isCancelled.open() }
                run.emit(5)
                isCancelled.pass()
                throw Counting.Failure()
            }.retry(1).execute(on: .serial("other", blocking: true)), log: log)
        loop.emit(1)
        await log.wait(for: "cancel a 1")
        loop.stop()
        await loop.ended.wait()
        #expect(loop.state == 6)
    }

    @Test func aRunThatAsksForAFurtherCallWithinACallElsewhereGetsIt() async {
        let log = Counting.Log()
        let loop = start(
            Counter.onState("a", where: { $0 == 1 }, strategy: .continueOnNewState) { _, run in
                run.resume { run in
                    run.emit(10)
                    return .finished
                }
                return .pending
            }.execute(on: .serial("other")), log: log)
        loop.emit(1)
        await log.wait(for: "end a 1")
        #expect(loop.state == 11)
    }

    @Test func anEffectElsewhereThatDoesNotReturnInTimeFails() async {
        let log = Counting.Log()
        let (hasBegun, mayEnd) = (AsyncGate(), Gate())
        let loop = start(
            Counter.onState("a", where: { $0 == 1 }, strategy: .continueOnNewState) { _, run in
                hasBegun.open()
                mayEnd.pass()
                run.emit(7)
                return .finished
            }.timeout(after: .seconds(1)).catch { $0 is EffectTimeout ? 100 : nil }.execute(
                on: .serial("other", blocking: true)),
            log: log)
        loop.emit(1)
        await hasBegun.wait()
        clock.advance(by: .seconds(1))
        #expect(loop.state == 101)
        mayEnd.open()
        await log.wait(for: "end a 1")
        #expect(loop.state == 101)
        #expect(loop.counters.late == 1)
    }

    @Test func anEffectElsewhereThatTookTooLongIsTriedAgainOnceItHasReturned() async {
        let log = Counting.Log()
        let (hasBegun, mayEnd) = (AsyncGate(), Gate())
        let attempts = Box(0)
        let loop = start(
            Counter.onState("a", where: { $0 == 1 }, strategy: .continueOnNewState) { _, run in
                if attempts.change({ $0 += 1 }) == 1 {
                    hasBegun.open()
                    mayEnd.pass()
                } else {
                    run.emit(10)
                }
                return .finished
            }.timeout(after: .seconds(1)).retry(1).execute(on: .serial("other", blocking: true)), log: log)
        loop.emit(1)
        await hasBegun.wait()
        clock.advance(by: .seconds(1))
        clock.advance(by: .zero)
        #expect(attempts.value == 1)
        mayEnd.open()
        await log.wait(for: "end a 1")
        #expect(loop.state == 11)
    }

    @Test func aStreamThatIsMadeLaterBeginsWithTheNewestState() {
        for isRetried in [false, true] {
            let seen = Box<[Int]>([])
            let attempts = Box(0)
            let stream = Counter.always(
                "a",
                stream: { states in
                    if isRetried, attempts.change({ $0 += 1 }) == 1 { return .fail(FlowFailure("no")) }
                    return states.compactMap { state -> Int? in
                        seen.change { $0.append(state) }
                        return nil
                    }
                })
            let loop = start(
                isRetried ? stream.retry(1) { _ in .seconds(1) } : stream.delay(for: .seconds(1)))
            loop.emit(1)
            loop.emit(2)
            clock.advance(by: .seconds(1))
            loop.emit(3)
            #expect(seen.value == [3, 6])
        }
    }

    @Test func aRunThatIsTriedAgainForeverKeepsNothingOfEarlierAttempts() {
        struct Attempt: Sendable {
            weak let target: RunTarget<Int>?
        }
        let attempts = Box<[Attempt]>([])
        let current = Box<Run<Int>?>(nil)
        let loop = start(
            Counter.always(
                "a",
                run: { _, run in
                    attempts.change { $0.append(Attempt(target: run.target)) }
                    current.value = run
                    run.onCancel {}
                    return .pending
                }
            ).retry(.max))
        for _ in 0..<500 {
            current.value?.fail(Counting.Failure())
            clock.advance(by: .zero)
        }
        #expect(attempts.value.count == 501)
        #expect(attempts.value.count { $0.target != nil } < 40)
        withExtendedLifetime(loop) {}
    }

    @Test func eventsOfARunAfterItsLastAttemptAndTheEndOfTheLoopAreCounted() {
        let runs = Runs()
        let loop = start(.onState("a", where: { $0 == 0 }, run: runs.start).retry(1))
        runs[0].fail(Counting.Failure())
        runs[0].emit(1)
        #expect(loop.counters.late == 1)
        loop.stop()
        runs[0].emit(2)
        #expect(loop.counters.refused == 1)
    }

    /// The modifiers, by name.
    private static let modifiers: [(name: String, change: @Sendable (Counter) -> Counter)] = [
        ("delay", { $0.delay(for: .seconds(1)) }), ("debounce", { $0.debounce(for: .seconds(1)) }),
        ("throttle", { $0.throttle(for: .seconds(2)) }), ("timeout", { $0.timeout(after: .seconds(1)) }),
        ("retry", { $0.retry(2) }), ("retry later", { $0.retry(1) { _ in .seconds(1) } }),
        ("tap", { $0.onEventEmitted { _ in () }.onStateReceived { _ in () } }),
        ("catch", { $0.catch { _ in 0 } }), ("disable", { $0.disable { false } }),
        ("scope", { $0.scoped(state: { $0 }, event: { $0 }, embed: { $0 }) }),
        ("elsewhere", { $0.execute(on: .serial("other")) }), ("pool", { $0.execute(on: .pool) }),
    ]

    private static func effects(_ gear: Gear<String>) -> [(name: String, feedback: Counter)] {
        let failure = FlowFailure("no")
        return [
            ("event", .onState("a") { $0 < 20 ? 1 : nil }),
            ("throw", .onEvent("a", effect: { _, _ in throw failure })),
            ("task", .onState("a", strategy: .queue, async: { $0 < 20 ? 1 : nil })),
            (
                "merge",
                .onState(
                    "a",
                    flow: { $0 > 20 ? .none : .merge(.run { await $0(1) }, .timer(after: .seconds(1), 1)) })
            ),
            (
                "fail",
                .onChange(
                    "a", request: { $0 % 7 },
                    flow: { _ in .timer(after: .seconds(1), 1).append(.fail(failure)) })
            ),
            ("never", .onEvent("a", strategy: .skipWhileRunning, flow: { _, _ in .never })),
            ("stream", .always("a", stream: { $0.prefix(9).filter { $0 < 9 }.map { _ in 1 } })),
            ("sets", .onEach("a", requests: { Set($0..<$0 + 3) }, flow: { .timer(after: .seconds(1), $0) })),
            (
                "keys",
                .onEach(
                    "a", requests: { [$0 % 3: $0] }, flow: { _, _, values in values.delay(for: .seconds(1)) })
            ),
            ("gear", Counter(attachedTo: gear, propagating: { (message: String) -> Int? in Int(message) })),
        ]
    }

    @Test(arguments: modifiers.indices)
    func everyLoopEndsWhateverItsFeedbackIsMadeOf(inner: Int) async {
        for outer in Self.modifiers.indices {
            for executor in [LoopExecutor.caller, .pool] {
                let (gear, clock) = (Gear<String>(replaying: 2), ManualClock())
                gear.propagate(event: "2")
                for effect in Self.effects(gear) {
                    let feedback = Self.modifiers[outer].change(Self.modifiers[inner].change(effect.feedback))
                    let loop = Counting.spin(
                        executor: executor, clock: clock, mailbox: .bounded(8, overflow: .dropOldest),
                        feedback
                    ).start(observers: outer % 2 == 0 ? [Counting.Log()] : [])
                    for event in [1, 2, 0, 3] {
                        loop.emit(event)
                        gear.propagate(event: "1")
                        clock.advance(by: .seconds(1))
                        loop.perform(event)
                    }
                    loop.stop()
                    await loop.ended.wait()
                    #expect(loop.ended.running.isEmpty)
                }
                #expect(gear.count == 0)
                #expect(clock.timerCount == 0)
            }
        }
    }
}
