import HostLoopTesting
import Testing

@testable import HostLoop

@Suite struct KeyedLoopsTests {
    private typealias Loops = KeyedLoops<String, Int, Int>

    /// Loops that begin with the length of their key.
    private func loops(
        limit: Int = .max, keep: Duration = .zero, clock: ManualClock = ManualClock(),
        mailbox: MailboxCapacity = .unbounded, creates: @escaping @Sendable (Int) -> Bool = { _ in true },
        observers: @escaping @Sendable (String) -> [any LoopObserver<Int, Int>] = { _ in [] },
        _ feedbacks: Feedback<Int, Int>...
    ) -> Loops {
        Loops(
            startingFrom: \.count, limit: limit, keep: keep, creates: creates, observers: observers,
            spin: { _ in
                Spin(
                    initialState: -1, reducer: Counting.reducer, feedbacks: feedbacks, until: { $0 >= 100 },
                    mailbox: mailbox, executor: .caller, clock: clock)
            })
    }

    private func keys(_ page: KeyedPage<String, Int>) -> [String] { page.loops.map(\.key) }

    @Test func theFirstEventOfAKeyMakesItsLoop() {
        let loops = loops()
        #expect(loops.state(of: "abc") == nil)
        #expect(loops.emit(4, to: "abc") == .queued)
        #expect(loops.emit(5, to: "") == .queued)
        #expect(loops.emit(1, to: "abc") == .queued)
        #expect(loops.state(of: "abc") == 8)
        #expect(loops.state(of: "") == 5)
        #expect(loops.counters(of: "abc")?.steps == 2)
        #expect(loops.count == 2)
        #expect(loops.counters.made == 2)
    }

    @Test func aLoopDeliversItsInitialStateBeforeItsFirstEvent() {
        let log = Counting.Log()
        let loops = loops(observers: { $0 == "abc" ? [log] : [] })
        loops.emit(4, to: "abc")
        loops.emit(4, to: "x")
        #expect(log.lines == ["started 3", "step 1 4: 3 to 7", "quiescent"])
    }

    @Test func aPerformedEventMakesALoop() {
        let loops = loops()
        #expect(loops.perform(4, on: "abc") == .queued)
        #expect(loops.state(of: "abc") == 7)
    }

    @Test func aSentEventMakesALoop() async {
        let loops = loops(mailbox: .bounded(1))
        #expect(await loops.send(4, to: "abc") == .queued)
        #expect(loops.state(of: "abc") == 7)
    }

    @Test func onlySomeEventsMakeALoop() {
        let loops = loops(creates: { $0 == 1 })
        #expect(loops.emit(2, to: "a") == .absent)
        #expect(loops.perform(2, on: "a") == .absent)
        #expect(loops.emit(1, to: "a") == .queued)
        #expect(loops.emit(2, to: "a") == .queued)
        #expect(loops.state(of: "a") == 4)
        #expect(loops.counters.refusedAsAbsent == 2)
    }

    // MARK: - The end of a loop

    @Test func aKeyBeginsAgainAfterTheEnd() {
        let loops = loops()
        loops.emit(100, to: "a")
        #expect(loops.state(of: "a") == nil)
        #expect(loops.count == 0)
        loops.emit(1, to: "a")
        #expect(loops.state(of: "a") == 2)
        #expect(loops.counters.made == 2)
        #expect(loops.counters.stopped == 1)
    }

    @Test func aLoopMayEndWithItsInitialState() async {
        let long = String(repeating: "x", count: 100)
        let log = Counting.Log()
        let loops = loops(observers: { _ in [log] })
        #expect(loops.emit(1, to: long) == .queued)
        #expect(log.lines == ["started 100", "stopped: until"])
        #expect(loops.count == 0)
        #expect(await loops.send(1, to: long) == .queued)
        #expect(loops.perform(1, on: long) == .queued)
        #expect(loops.counters.made == 3)
        #expect(loops.counters.stopped == 3)
        // A performed event is reduced at once; the others were still queued.
        #expect(loops.counters.discarded == 2)
    }

    @Test func aLoopMayStopItselfInItsFirstEffect() {
        let loops = KeyedLoops<String, Int, Int>(
            startingFrom: \.count,
            spin: { emitter in
                Counting.spin(
                    .onState("stop") { _ in
                        emitter.stop("a")
                        return nil
                    })
            })
        #expect(loops.emit(1, to: "a") == .queued)
        #expect(loops.perform(1, on: "a") == .queued)
        #expect(loops.count == 0)
        #expect(loops.counters.made == 2)
    }

    @Test func theLastStateIsKeptForATime() {
        let clock = ManualClock()
        let loops = loops(keep: .seconds(10), clock: clock)
        loops.emit(100, to: "a")
        clock.advance(by: .seconds(4))
        loops.emit(200, to: "b")
        #expect(loops.state(of: "a") == 101)
        #expect(loops.count == 0)
        #expect(loops.counters.kept == 2)
        clock.advance(by: .seconds(6))
        #expect(loops.state(of: "a") == nil)
        #expect(loops.state(of: "b") == 201)
        clock.advance(by: .seconds(4))
        #expect(loops.state(of: "b") == nil)
        #expect(clock.timerCount == 0)
    }

    @Test func aKeyThatBeginsAgainHasItsNewState() {
        let clock = ManualClock()
        let loops = loops(keep: .seconds(10), clock: clock)
        loops.emit(100, to: "a")
        clock.advance(by: .seconds(5))
        loops.emit(1, to: "a")
        #expect(loops.state(of: "a") == 2)
        #expect(loops.counters.kept == 0)
        loops.emit(150, to: "a")
        // The time of the first state is over, that of the second is not.
        clock.advance(by: .seconds(6))
        #expect(loops.state(of: "a") == 152)
        clock.advance(by: .seconds(4))
        #expect(loops.state(of: "a") == nil)
    }

    @Test func aStoppedLoopIsNotKept() {
        let loops = loops(keep: .seconds(10))
        loops.emit(1, to: "a")
        #expect(loops.stop("a"))
        #expect(!loops.stop("a"))
        #expect(loops.state(of: "a") == nil)
        #expect(loops.counters.kept == 0)
        loops.emit(1, to: "a")
        #expect(loops.state(of: "a") == 2)
    }

    @Test func aStopDropsAKeptState() {
        let loops = loops(keep: .seconds(10))
        loops.emit(100, to: "a")
        #expect(!loops.stop("a"))
        #expect(loops.state(of: "a") == nil)
        #expect(loops.counters.kept == 0)
    }

    @Test func keptStatesTakeNoMoreMemoryThanTheirNumber() {
        var kept = KeptStates<Int, Int>()
        for number in 1...10_000 {
            let until = LoopInstant(nanoseconds: Int64(number))
            #expect(
                kept.keep(number, of: number % 3, UInt64(number), until: until)
                    == (number > 3 ? number - 3 : nil))
            #expect(kept.ticketCount <= 2 * kept.count + 65)
        }
        #expect(kept.count == 3)
        #expect(kept.removeFirst() == 9_998)
        // An older loop that closes late replaces no newer state, and time does not go back.
        #expect(kept.keep(-1, of: 1, 5, until: LoopInstant(nanoseconds: 20_000)) == -1)
        #expect(kept.keep(7, of: 2, 20_000, until: LoopInstant(nanoseconds: 1)) == nil)
        #expect(kept.removeAll(until: LoopInstant(nanoseconds: 9_999)) == [9_999])
        #expect(kept.removeAll(until: LoopInstant(nanoseconds: 10_000)) == [10_000, 7])
        #expect(kept.next == nil)
    }

    // MARK: - The limit

    @Test func oneLoopTooManyIsRefused() {
        let loops = loops(limit: 2)
        loops.emit(1, to: "a")
        loops.emit(1, to: "b")
        #expect(loops.emit(1, to: "c") == .limit)
        #expect(loops.emit(1, to: "b") == .queued)
        #expect(loops.counters.refusedByLimit == 1)
        loops.emit(100, to: "a")
        #expect(loops.emit(1, to: "c") == .queued)
        #expect(loops.count == 2)
    }

    @Test func anEventThatMakesNoLoopIsNotRefusedByTheLimit() {
        let loops = loops(limit: 1, creates: { $0 == 1 })
        loops.emit(1, to: "a")
        #expect(loops.emit(2, to: "b") == .absent)
        #expect(loops.emit(1, to: "b") == .limit)
        #expect(loops.counters.refusedAsAbsent == 1)
        #expect(loops.counters.refusedByLimit == 1)
    }

    @Test func keptStatesGiveWayToLoops() {
        let loops = loops(limit: 3, keep: .seconds(10))
        for key in ["a", "b", "c"] { loops.emit(100, to: key) }
        #expect(loops.counters.kept == 3)
        loops.emit(1, to: "d")
        #expect(loops.state(of: "a") == nil)
        #expect(loops.state(of: "b") == 101)
        // A key that begins again gives up its own state.
        loops.emit(1, to: "c")
        #expect(loops.state(of: "b") == 101)
        #expect(loops.counters.kept == 1)
    }

    // MARK: - Pages

    @Test func pagesFollowTheOrderOfTheLoops() {
        let loops = loops()
        for key in ["a", "b", "c", "d", "e"] { loops.emit(1, to: key) }
        let first = loops.page(atMost: 2)
        #expect(keys(first) == ["a", "b"])
        #expect(first.loops.map(\.state) == [2, 2])
        // The next page is not moved by those that leave, before and behind it, nor by those that come.
        loops.emit(100, to: "a")
        loops.emit(100, to: "c")
        loops.emit(1, to: "f")
        #expect(first.next != nil)
        let second = loops.page(after: first.next, atMost: 3)
        #expect(keys(second) == ["d", "e", "f"])
        #expect(second.next == nil)
        loops.emit(1, to: "a")
        #expect(keys(loops.page(atMost: 10)) == ["b", "d", "e", "f", "a"])
    }

    @Test func aCursorOutlivesItsLoops() {
        let loops = loops()
        for number in 0..<1000 { loops.emit(1, to: "\(number)") }
        let next = loops.page(atMost: 500).next
        #expect(next != nil)
        for number in 0..<900 { loops.stop("\(number)") }
        #expect(keys(loops.page(after: next, atMost: 2)) == ["900", "901"])
        #expect(loops.page(atMost: 100).next == nil)
    }

    @Test func withoutLoopsAPageIsEmpty() {
        let page = loops().page(atMost: 1)
        #expect(page.loops.isEmpty)
        #expect(page.next == nil)
    }

    // MARK: - The end of all

    @Test func stoppingStopsAllLoops() async {
        let log = Counting.Log()
        let loops = loops(keep: .seconds(1), observers: { _ in [log] })
        loops.emit(1, to: "a")
        loops.stop()
        #expect(log.lines.last == "stopped")
        #expect(loops.emit(1, to: "a") == .stopped)
        #expect(loops.perform(1, on: "b") == .stopped)
        #expect(await loops.send(1, to: "b") == .stopped)
        #expect(loops.stop("a") == false)
        #expect(loops.count == 0)
        await loops.ended.wait()
    }

    @Test func theEndWaitsForEffectsOfAllLoops() async {
        let (begun, gates, marker) = (Gate(), [Gate(), Gate()], Gate())
        let executors = gates.indices.map { LoopExecutor.serial("effects \($0)", blocking: true) }
        func hold(_ index: Int, _ held: Int) -> Feedback<Int, Int> {
            .onState("hold \(index)", where: { $0 == held }) { _ in
                begun.open()
                gates[index].pass()
                return nil
            }.execute(on: executors[index])
        }
        let loops = loops(hold(0, 2), hold(1, 5))
        for key in ["a", "bbbb"] {
            loops.emit(1, to: key)
            begun.pass()
        }
        // This loop ends, and its effect still executes.
        loops.emit(100, to: "bbbb")
        #expect(loops.count == 1)
        loops.stop()
        #expect(loops.count == 0)
        #expect(loops.ended.running.map(\.feedback).sorted() == ["hold 0", "hold 1"])
        let ended = Box(false)
        let end = Task {
            await loops.ended.wait()
            ended.value = true
        }
        gates[0].open()
        // The effect has returned, and its loop has ended, when the executor does its next job.
        executors[0].run { marker.open() }
        marker.pass()
        for _ in 0..<100 { await Task.yield() }
        #expect(!ended.value)
        gates[1].open()
        await end.value
        #expect(ended.value)
    }

    @Test func theLastReleaseStopsAllLoops() async {
        let log = Counting.Log()
        var loops: Loops? = loops(observers: { _ in [log] })
        let (emitter, ended) = (loops?.emitter, loops?.ended)
        #expect(emitter?.emit(1, to: "a") == .queued)
        loops = nil
        #expect(log.lines.last == "stopped: released")
        #expect(emitter?.emit(1, to: "a") == .stopped)
        #expect(emitter?.perform(1, on: "a") == .stopped)
        #expect(await emitter?.send(1, to: "a") == .stopped)
        #expect(emitter?.stop("a") == false)
        await ended?.wait()
    }

    @Test func anEmitterDoesWhatTheHandleDoes() async {
        let loops = loops()
        let emitter = loops.emitter
        #expect(emitter.perform(1, on: "a") == .queued)
        #expect(await emitter.send(1, to: "a") == .queued)
        #expect(emitter.emit(1, to: "a") == .queued)
        #expect(loops.state(of: "a") == 4)
        #expect(emitter.stop("a"))
        #expect(loops.count == 0)
    }

    @Test func aCancelledSenderMakesNoLoop() async {
        let loops = loops()
        let gate = AsyncGate()
        let task = Task {
            await gate.wait()
            return await loops.send(1, to: "a")
        }
        task.cancel()
        gate.open()
        let result = await task.value
        #expect(result == .cancelled)
        #expect(loops.counters.made == 0)
    }

    /// Loops of one spin are told apart: an effect may wait for the end of other loops.
    @Test func anEffectWaitsForTheEndOfOtherLoops() async {
        let spin = Counting.spin(executor: .pool)
        let others = KeyedLoops<Int, Int, Int>(startingFrom: { _ in 0 }, spin: { _ in spin })
        others.emit(1, to: 1)
        let ended = AsyncGate()
        let loops = KeyedLoops<Int, Int, Int>(
            startingFrom: { _ in 0 },
            spin: { _ in
                Counting.spin(
                    executor: .pool,
                    .onState("wait", where: { $0 == 1 }) { _ in
                        Task {
                            others.stop()
                            await others.ended.wait()
                            ended.open()
                        }
                        return nil
                    })
            })
        loops.emit(1, to: 1)
        await ended.wait()
        #expect(others.count == 0)
    }

    @Test func nothingKeepsStatesAfterTheEnd() {
        final class Mark: Sendable {}
        weak var mark: Mark?
        do {
            let made = Mark()
            mark = made
            let loops = KeyedLoops<Int, Mark, Int>(
                startingFrom: { _ in made },
                spin: { _ in
                    Spin(
                        initialState: Mark(), reducer: Reducer { _, _ in true }, feedbacks: [],
                        executor: .caller)
                })
            for key in 0..<10 { loops.emit(1, to: key) }
        }
        #expect(mark == nil)
    }
}
