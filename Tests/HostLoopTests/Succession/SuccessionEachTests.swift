import HostLoop
import HostLoopTesting
import Testing

/// A loop continues another one, whose feedbacks have runs by keys: each run continues by its key.
@Suite struct SuccessionEachTests {
    private static func rest(_ loop: Loop<Int, Int>) {
        let rests = Box(false)
        #expect(loop.park { rests.value = $0 })
        #expect(rests.value)
    }

    /// An event becomes a hundred times its value. The only feedback continues.
    private static func follow(
        _ loop: Loop<Int, Int>, _ spin: Spin<Int, Int>, _ log: Counting.Log = Counting.Log()
    ) -> Loop<Int, Int> {
        let (next, cancel) = spin.loop(
            observers: [log], inPlaceOf: loop, LoopSuccession(feedbacks: [0: 0]) { $0 * 100 })
        cancel()
        next.unpark()
        return next
    }

    /// A run for each request, by its tens.
    private func items(
        _ runs: Runs, since before: [Int] = [], _ requests: @escaping @Sendable (Int) -> [Int]
    ) -> Feedback<Int, Int> {
        .onEach(
            "items", requests: requests, key: { $0 / 10 }, since: { before },
            run: { runs.start($0, $1) })
    }

    @Test func keysThatStayContinue_othersComeAndGo() {
        let (runs, later) = (Runs(), Runs())
        let loop = Counting.spin(items(runs) { _ in [10, 20, 30] }).start()
        Self.rest(loop)
        runs[0].emit(1)
        runs[1].emit(2)
        runs[2].emit(3)
        let log = Counting.Log()
        let next = Self.follow(
            loop,
            Counting.spin(items(later, since: [10, 20, 30]) { $0 < 400 ? [40, 21, 10] : [40] }), log)
        #expect(later.inputs == [40, 21])
        #expect([later[0].number, later[1].number] == [4, 5])
        #expect(log.steps.map(\.event) == [100])
        #expect(log.steps.map(\.origin.run?.number) == [1])
        #expect(log.lines("withdrawn") == ["withdrawn 200 of items 2", "withdrawn 300 of items 3"])
        #expect(log.lines("cancel") == ["cancel items 2", "cancel items 3"])
        #expect([0, 1, 2].map { runs[$0].isCancelled } == [false, true, true])
        #expect(runs[1].emit(5) == .cancelled)
        #expect(next.ended.running.map(\.number) == [1, 2, 3, 4, 5])
        // The key goes with the state that its own event makes. The events emitted with that event are one
        // entry.
        #expect(runs[0].emit(contentsOf: [3, 7]) == .queued)
        #expect(log.steps.map(\.event) == [100, 300, 700])
        #expect(next.counters.withdrawn == 2)
        #expect(runs[0].isCancelled && later[1].isCancelled && !later[0].isCancelled)
        #expect(later.inputs == [40, 21])
        runs.finishAll()
        later.finishAll()
        #expect(next.ended.running.isEmpty)
    }

    @Test func aKeyWhoseRunEndedWhileTheLoopIsParked_startsNoRunUntilItWasGone() {
        let (runs, later) = (Runs(), Runs())
        let loop = Counting.spin(items(runs) { _ in [10, 20] }).start()
        Self.rest(loop)
        runs[0].emit(1)
        runs[0].finish()
        runs[1].fail(Counting.Failure())
        let log = Counting.Log()
        let next = Self.follow(
            loop, Counting.spin(items(later, since: [10, 20]) { $0 == 200 ? [20] : [10, 20] }), log)
        #expect(log.steps.map(\.event) == [100])
        #expect(log.lines("end") == ["end items 1", "end items 2"])
        #expect(log.faults.count == 1)
        #expect(later.inputs.isEmpty)
        next.emit(100)
        #expect(later.inputs.isEmpty)
        next.emit(100)
        #expect(later.inputs == [10])
        #expect(later[0].number == 3)
        later.finishAll()
        #expect(next.ended.running.isEmpty)
    }

    @Test func runsContinueThroughManyChanges() {
        let runs = Runs()
        var loop = Counting.spin(items(runs) { _ in [10, 20] }).start()
        let first = loop
        for _ in 1...3 {
            Self.rest(loop)
            loop = Self.follow(
                loop, Counting.spin(from: loop.state, items(runs, since: [10, 20]) { _ in [20, 10] }))
        }
        #expect(runs.inputs == [10, 20])
        #expect(runs[0].emit(1) == .queued)
        #expect(loop.state == 1_000_000)
        let ended = Box(false)
        first.ended.notify { ended.value = true }
        #expect(ended.value)
        let heard = Box(false)
        runs[1].onCancel { heard.value = true }
        loop.stop()
        #expect(heard.value && runs[0].isCancelled)
        #expect(loop.ended.running.map(\.number) == [1, 2])
        runs.finishAll()
        #expect(loop.ended.running.isEmpty)
    }

    @Test func aChangedRequestOfAKeyIsReplacedLater() {
        let (runs, later) = (Runs(), Runs())
        let loop = Counting.spin(items(runs) { _ in [10, 20] }).start()
        Self.rest(loop)
        let next = Self.follow(
            loop, Counting.spin(items(later, since: [10, 20]) { $0 == 0 ? [10, 20] : [11, 20] }))
        next.emit(1)
        #expect(runs[0].isCancelled && !runs[1].isCancelled)
        #expect(later.inputs == [11])
        #expect(later[0].emit(4) == .queued)
        #expect(next.state == 5)
        for all in [runs, later] { all.finishAll() }
    }

    @Test(arguments: [true, false]) func furtherCallsOfAKeyAreMade(isDueAtRest: Bool) {
        let clock = ManualClock()
        func feedback(_ since: [Int], _ requests: [Int]) -> Feedback<Int, Int> {
            .onEach(
                "late", requests: { _ in requests }, key: { $0 }, since: { since },
                run: { request, run in
                    run.emit(request)
                    return .finished
                }
            ).delay(for: .seconds(1))
        }
        let loop = Counting.spin(clock: clock, feedback([], [1, 2])).start()
        Self.rest(loop)
        if isDueAtRest { clock.advance(by: .seconds(1)) }
        let log = Counting.Log()
        let next = Self.follow(loop, Counting.spin(clock: clock, feedback([1, 2], [2, 3])), log)
        clock.advance(by: isDueAtRest ? .milliseconds(1) : .seconds(1))
        if isDueAtRest { clock.advance(by: .seconds(1)) }
        // A request of the previous loop is a hundred times as much here. A request of this loop is not.
        #expect(log.steps.map(\.event).sorted() == [3, 200])
        #expect(next.ended.running.isEmpty)
    }

    @Test func aFeedbackWithoutTheLastRequests_startsAgain() {
        let (runs, later) = (Runs(), Runs())
        func feedback(_ runs: Runs) -> Feedback<Int, Int> {
            .onEach("items", requests: { _ in [10] }, key: { $0 }, run: { runs.start($0, $1) })
        }
        let loop = Counting.spin(feedback(runs)).start()
        Self.rest(loop)
        runs[0].emit(1)
        let next = Self.follow(loop, Counting.spin(feedback(later)))
        #expect(runs[0].isCancelled)
        #expect(later.inputs == [10])
        #expect(next.state == 0)
        for all in [runs, later] { all.finishAll() }
    }

    @Test func keysOfALoopThatHasStopped_haveRun() {
        let (runs, later) = (Runs(), Runs())
        let loop = Counting.spin(until: { $0 == 3 }, items(runs) { _ in [10, 20] }).start()
        loop.emit(3)
        runs.finishAll()
        let next = Self.follow(
            loop,
            Counting.spin(from: 3, items(later, since: [10, 20]) { $0 == 4 ? [20] : [10, 20, 30] }))
        #expect(later.inputs == [30])
        next.emit(1)
        #expect(later[0].isCancelled)
        next.emit(1)
        #expect(later.inputs == [30, 10, 30])
        later.finishAll()
    }

    @Test func callsOfEachKeyWaitForTheOneBefore_alsoForOneThatIsGone() async {
        let gates = [Gate(), Gate(), Gate()]
        let began = Gate()
        let called = Box<[Int]>([])
        func feedback(
            _ since: [Int], _ requests: @escaping @Sendable (Int) -> [Int]
        ) -> Feedback<Int, Int> {
            Feedback.onEach(
                "away", requests: requests, key: { $0 / 10 }, since: { since },
                run: { request, run in
                    called.change { $0.append(request) }
                    began.open()
                    if request % 10 == 0 { gates[request / 10].pass() }
                    run.emit(request)
                    return .finished
                }
            ).execute(on: .blocking)
        }
        // Key 1 waits for its newest request, key 2 is gone while its call executes.
        let loop = Counting.spin(feedback([]) { [[10, 20], [11, 20], [12]][min($0, 2)] }).start()
        for _ in 0..<2 { began.pass() }
        loop.emit(1)
        loop.emit(1)
        Self.rest(loop)
        let log = Counting.Log()
        let next = Self.follow(
            loop, Counting.spin(from: 2, feedback([12]) { $0 == 2 ? [12] : [12, 21] }), log)
        #expect(called.value.sorted() == [10, 20])
        gates[1].open()
        await log.wait(for: "end away 3")
        // The loop may learn of the end of the run before it reduces the run's event.
        await log.wait { $0.contains { $0.hasPrefix("step ") } }
        #expect(log.steps.map(\.event) == [1200], "the call that waited speaks as before")
        // The key comes back, and waits for the call that was cancelled.
        #expect(called.value.sorted() == [10, 12, 20])
        gates[2].open()
        await log.wait(for: "end away 4")
        #expect(called.value.sorted() == [10, 12, 20, 21])
        #expect(log.lines("run") == ["run away 3", "run away 4"])
        #expect(log.steps.map(\.event) == [1200, 21])
        #expect(next.ended.running.isEmpty)
    }
}
