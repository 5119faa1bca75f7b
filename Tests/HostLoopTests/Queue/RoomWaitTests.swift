import Glibc
import HostLoop
import HostLoopTesting
import TestSupport
import Testing

/// Threads that block until a bounded mailbox has room.
@Suite(.timeLimit(.minutes(10))) struct RoomWaitTests {
    /// Notifies the test when an action is scheduled. A thread that waits for a limited time schedules one
    /// once it is in line.
    private final class TellingClock: LoopClock {
        let time = ManualClock()
        let scheduled = Gate()

        var now: LoopInstant { time.now }

        func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
            defer { scheduled.open() }
            return time.schedule(at: instant, action)
        }
    }

    /// A loop that is busy with event 1, with event 10 in a mailbox for one, while threads wait to emit.
    private final class Busy: Sendable {
        let log = Counting.Log()
        let clock = TellingClock()
        let runs = Runs()
        let results = Box<[Int: EmitResult]>([:])
        let counters = Box(LoopCounters())
        private let limit: Duration
        private let answered = Gate()

        init(limit: Duration = .seconds(1)) { self.limit = limit }

        /// Each thread emits its events, in the order of the list. Then `act` runs, and then the loop
        /// continues.
        func answers(
            _ events: [[Int]], from feedback: (Runs) -> Feedback<Int, Int>,
            act: @escaping @Sendable (Busy, Loop<Int, Int>) -> Void = { _, _ in }
        ) async -> [EmitResult?] {
            let source = feedback(runs)
            await withCheckedContinuation { continuation in
                OtherThread.start { [self] in
                    run(events, source, act)
                    continuation.resume()
                }
            }
            return events.indices.map { results.value[$0] }
        }

        private func run(
            _ events: [[Int]], _ source: Feedback<Int, Int>,
            _ act: @escaping @Sendable (Busy, Loop<Int, Int>) -> Void
        ) {
            let busy = Box<Loop<Int, Int>?>(nil)
            let script = Feedback<Int, Int>.onEvent("script", where: { _, event in event == 1 }) {
                [self] _, _ in
                guard let loop = busy.value else { return nil }
                loop.emit(10)
                for (index, events) in events.enumerated() {
                    OtherThread.start { [self] in
                        let run = runs[runs.inputs.count - 1]
                        let result =
                            events.count == 1
                            ? run.emit(events[0], waiting: limit)
                            : run.emit(contentsOf: events, waiting: limit)
                        results.change { $0[index] = result }
                        answered.open()
                    }
                    if limit == .zero {
                        answered.pass()
                        answered.open()
                    } else if events.count == 1 {
                        clock.scheduled.pass()
                    }
                }
                act(self, loop)
                return nil
            }
            let loop = Spin(
                initialState: 0, reducer: Counting.reducer, feedbacks: [source, script],
                mailbox: .bounded(1), executor: .caller, clock: clock
            ).start(observers: [log])
            busy.value = loop
            loop.emit(1)
            for _ in events { answered.pass() }
            busy.value = nil
            counters.value = loop.counters
            loop.stop()
            runs.finishAll()
        }
    }

    private static func always(_ runs: Runs) -> Feedback<Int, Int> {
        .always("a", run: { state, run in runs.start(state, run) })
    }

    @Test func aThreadWaitsForRoom() async {
        let busy = Busy()
        #expect(await busy.answers([[20], [30]], from: Self.always) == [.queued, .queued])
        #expect(busy.log.steps.map(\.event) == [1, 10, 20, 30])
        #expect(busy.counters.value.dropped == 0)
        #expect(busy.clock.time.timerCount == 0)
    }

    @Test func aThreadThatWaitsTooLongQueuesNothing() async {
        let busy = Busy()
        let answers = await busy.answers([[20], [30]], from: Self.always) { busy, _ in
            busy.clock.time.advance(by: .seconds(1))
        }
        #expect(answers == [.full, .full])
        #expect(busy.log.steps.map(\.event) == [1, 10])
    }

    @Test func aThreadThatDoesNotWaitQueuesNothing() async {
        let busy = Busy(limit: .zero)
        #expect(await busy.answers([[20]], from: Self.always) == [.full])
        #expect(busy.log.steps.map(\.event) == [1, 10])
        #expect(busy.counters.value.dropped == 0)
    }

    @Test func aThreadIsAnsweredWhenTheLoopStops() async {
        let busy = Busy()
        #expect(await busy.answers([[20]], from: Self.always) { _, loop in loop.stop() } == [.stopped])
        #expect(busy.log.steps.map(\.event) == [1])
    }

    @Test func aThreadIsAnsweredWhenItsRunIsReplaced() async {
        let busy = Busy()
        let answers = await busy.answers([[20], [30]]) { runs in
            .onState("a", run: { state, run in runs.start(state, run) })
        }
        // 10 leaves the mailbox, so 20 has room; the state after 10 replaces the run.
        #expect(answers == [.queued, .cancelled])
        #expect(busy.log.steps.map(\.event) == [1, 10])
        #expect(busy.log.lines("withdrawn").map { $0.hasPrefix("withdrawn 20 of a") } == [true])
    }

    @Test func anEntryThatCanNeverHaveRoomIsAnsweredAtOnce() async {
        let busy = Busy()
        #expect(await busy.answers([[20, 30]], from: Self.always) == [.full])
        #expect(busy.log.steps.map(\.event) == [1, 10])
    }

    @Test func aWrappedRunWaitsToo() async {
        let (busy, tapped) = (Busy(), Box<[Int]>([]))
        let answers = await busy.answers([[20], [30]]) { runs in
            Self.always(runs).onEventEmitted { event in tapped.change { $0.append(event) } }
        }
        #expect(answers == [.queued, .queued])
        #expect(tapped.value == [20, 30])
    }

    /// - Parameter limit: zero for a thread that tries again at once in place of waiting.
    @Test(arguments: [MailboxCapacity.bounded(8), .bounded(1), .unbounded], [nil, Duration.zero])
    func aThreadThatIsFasterThanTheLoopLosesNothing(mailbox: MailboxCapacity, limit: Duration?) async {
        let count = 20_000
        let (reduced, farthest) = (Box(0), Box(0))
        let source = Feedback<Int, Int>.always(
            "source",
            run: { _, run in
                OtherThread.start {
                    for number in 1...count {
                        var result = run.emit(number, waiting: limit)
                        while limit != nil, result == .full {
                            sched_yield()
                            result = run.emit(number, waiting: limit)
                        }
                        #expect(result == .queued)
                        let ahead = number - reduced.value
                        farthest.change { $0 = max($0, ahead) }
                    }
                    run.finish()
                }
                return .pending
            })
        let loop = Spin(
            initialState: 0,
            reducer: Reducer { (last: inout Int, event: Int) -> Bool in
                #expect(event == last + 1)
                last = event
                reduced.value = event
                return true
            }, feedbacks: [source], until: { $0 == count }, mailbox: mailbox
        ).start()
        await loop.ended.wait()
        #expect(loop.state == count)
        // One more than the mailbox holds is with the reducer.
        if let limit = mailbox.limit { #expect(farthest.value <= limit + 1) }
    }

    @Test func onlyTheLoopsOwnCodeIsLooping() async {
        let seen = Box<[String: Bool]>([:])
        let here = Feedback<Int, Int>.onEvent("here", where: { _, event in event == 1 }) { _, _ in
            seen.change { $0["effect"] = LoopExecutor.isLooping }
            return 2
        }
        let elsewhere = Feedback<Int, Int>.onEvent("elsewhere", where: { _, event in event == 2 }) { _, _ in
            seen.change { $0["elsewhere"] = LoopExecutor.isLooping }
            return 3
        }.execute(on: .blocking)
        let loop = Spin(
            initialState: 0, reducer: Counting.reducer, feedbacks: [here, elsewhere], until: { $0 == 6 },
            executor: .pool
        ).start()
        loop.emit(1)
        await loop.ended.wait()
        seen.change { $0["outside"] = LoopExecutor.isLooping }
        #expect(seen.value == ["effect": true, "elsewhere": false, "outside": false])
    }
}
