import Dispatch
@testable import HostLoop
import TestSupport
import Testing

/// Rule 17, between threads.
@Suite struct PerformThreadsTests {
    /// A job that keeps a serial executor from running anything else until the gate opens.
    private final class Blocker: Runnable {
        let gate = Gate()
        func run() { gate.pass() }
    }

    @Test func theInitialStateIsDeliveredFirstWhenALoopHasNotBegun() async {
        let blocker = Blocker()
        let executor = LoopExecutor.serial("held", blocking: true)
        executor.enqueue(blocker)
        let log = Counting.Log()
        let loop = Counting.spin(executor: executor).start(observers: [log])
        loop.emit(7)
        #expect(loop.perform(5) == .queued)
        #expect(loop.state == 5)
        #expect(loop.perform([0, 1]) == .queued)
        #expect(loop.state == 6)
        #expect(log.lines == [])
        blocker.gate.open()
        await log.wait(for: "quiescent")
        #expect(
            log.lines == [
                "started 0", "step 1 5: 0 to 5", "unhandled 0", "step 2 1: 5 to 6", "step 3 7: 6 to 13",
                "quiescent",
            ])
    }

    @Test(arguments: [LoopExecutor.caller, .pool])
    func anotherThreadWaitsForReductionsOnly(executor: LoopExecutor) async {
        let log = Counting.Log()
        let (entered, gate) = (Gate(), Gate())
        let loop = Counting.spin(
            executor: executor,
            .onEvent("slow", where: { _, event in event == 1 }) { _, _ in
                entered.open()
                gate.pass()
                return nil
            }
        ).start(observers: [log])
        let emitter = loop.emitter
        OtherThread.start { emitter.emit(1) }
        entered.pass()
        loop.perform(20)
        loop.perform([30, 40])
        #expect(loop.state == 91)
        #expect(log.lines("step") == ["step 1 1: 0 to 1"])
        gate.open()
        await log.wait(for: "step 4 40: 51 to 91")
        #expect(log.lines("step").count == 4)
    }

    @Test func eventsQueuedMeanwhileAreReducedOnTheLoopsExecutor() async {
        let log = Counting.Log()
        let labels = Box<[String]>([])
        let emitter = Box<Emitter<Int>?>(nil)
        let loop = Counting.spin(
            executor: .serial("own"),
            .onEvent { _, event in
                labels.change { $0.append("\(event) on \(LoopExecutor.current?.label ?? "none")") }
                if event == 1 { emitter.value?.emit(2) }
                return nil
            }
        ).start(observers: [log])
        emitter.value = loop.emitter
        await log.wait(for: "quiescent")
        await loop.rest()
        loop.perform(1)
        await log.wait(for: "step 2 2: 1 to 3")
        await log.wait(for: "quiescent", count: 2)
        #expect(labels.value == ["1 on caller", "2 on own"])
    }

    @Test(arguments: [LoopExecutor.caller, .pool, .serial("own")], [false, true])
    func concurrentPerformsLoseNothing(executor: LoopExecutor, isObserved: Bool) async {
        let sum = Box(0)
        let log = Counting.Log(seesSteps: isObserved)
        let loop = Counting.spin(
            executor: executor, clock: ContinuousLoopClock(), until: { $0 == 12_500 },
            .onEvent { _, event in
                sum.change { $0 += event }
                return nil
            }
        ).start(observers: [log])
        DispatchQueue.concurrentPerform(iterations: 10_000) { number in
            switch number % 4 {
            case 0: loop.emit(1)
            case 1: loop.perform([1, 0, 1])
            default: loop.perform(1)
            }
        }
        await loop.ended.wait()
        #expect(loop.state == 12_500)
        #expect(sum.value == 12_500)
        #expect(loop.counters.steps == 12_500)
        #expect(loop.counters.unhandled == 2_500)
        if isObserved {
            #expect(log.steps.map(\.index) == Array(1...12_500))
            #expect(zip(log.steps, log.steps.dropFirst()).allSatisfy { $0.after == $1.before })
        }
    }

    /// The loop's own thread becomes idle while the other thread's reducer emits.
    @Test func aReducerThatIsPerformedMayEmit_whateverAnotherThreadDoes() {
        for _ in 0..<20 {
            let (entered, gate, left) = (Gate(), Gate(), Gate())
            let emitter = Box<Emitter<Int>?>(nil)
            let rests = Box<@Sendable () -> Bool>({ false })
            let loop = Spin<Int, Int>(
                initialState: 0,
                reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                    state += event
                    if event == 10 {
                        gate.open()
                        // It does not, as it waits for the performed event.
                        for _ in 0..<20_000 where !rests.value() {}
                        emitter.value?.emit(100)
                    }
                    return true
                },
                feedbacks: [
                    .onEvent(where: { _, event in event == 1 }) { _, _ in
                        entered.open()
                        gate.pass()
                        return nil
                    }
                ], executor: .caller
            ).start()
            let outside = loop.emitter
            emitter.value = outside
            rests.value = { [weak loop] in loop?.rests ?? true }
            OtherThread.start {
                outside.emit(1)
                left.open()
            }
            entered.pass()
            #expect(loop.perform([10, 20]) == .queued)
            left.pass()
            #expect(loop.state == 131)
            rests.value = { false }
        }
    }

    @Test func twoLoopsThatPerformCrosswiseFromEffectsCannotDeadlock() async {
        let (left, right) = (Box<Emitter<Int>?>(nil), Box<Emitter<Int>?>(nil))
        func spin(to other: Box<Emitter<Int>?>) -> Spin<Int, Int> {
            Counting.spin(
                executor: .pool, clock: ContinuousLoopClock(), until: { $0 == 10_000 },
                .onEvent { _, event in
                    if event > 1 { other.value?.perform(event - 1) }
                    return nil
                })
        }
        let loops = [spin(to: right).start(), spin(to: left).start()]
        (left.value, right.value) = (loops[0].emitter, loops[1].emitter)
        // Of each performed event, 4 and 2 arrive at one loop, 3 and 1 at the other.
        DispatchQueue.concurrentPerform(iterations: 2_000) { loops[$0 % 2].perform(4) }
        for loop in loops {
            await loop.ended.wait()
            #expect(loop.state == 10_000)
            #expect(loop.counters.steps == 4_000)
        }
    }

    @Test func aFullMailboxLetsPerformedEventsPassAndKeepsItsBounds() {
        let (entered, gate, done) = (Gate(), Gate(), Gate())
        let log = Counting.Log()
        let loop = Spin<Int, Int>(
            initialState: 0, reducer: Counting.reducer,
            feedbacks: [
                .onEvent("slow", where: { _, event in event == 1 }) { _, _ in
                    entered.open()
                    gate.pass()
                    return nil
                }
            ], mailbox: .bounded(1, overflow: .reject), executor: .caller
        ).start(observers: [log])
        OtherThread.start {
            loop.emit(1)
            done.open()
        }
        entered.pass()
        #expect(loop.emit(2) == .queued)
        #expect(loop.emit(3) == .full)
        #expect(loop.perform([10, 20]) == .queued)
        #expect(loop.state == 31)
        #expect(loop.emit(4) == .full)
        gate.open()
        done.pass()
        #expect(log.steps.map(\.event) == [1, 10, 20, 2])
        #expect(loop.emit(5) == .queued)
        #expect(loop.state == 38)
    }

    /// The outcome for events 7, 8 and 9. They are one entry of the run that state 1 starts, and 100 is
    /// performed just after the event at `place` was taken from the queue.
    private func steps(
        takingAt place: Int, of feedback: Feedback<Int, Int>, in mailbox: MailboxCapacity = .unbounded
    ) -> (
        steps: [Int], log: Counting.Log
    ) {
        let (entered, reduced, done) = (Gate(), Gate(), Gate())
        let clock = HookedClock()
        let log = Counting.Log()
        let loop = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                if event == 100 {
                    entered.open()
                    reduced.pass()
                }
                state += event
                return true
            }, feedbacks: [feedback], mailbox: mailbox, executor: .caller, clock: clock
        ).start(observers: [log])
        // The clock is read for each event once it is taken, and once it is reduced.
        clock.hook(atRead: 3 + 2 * place) {
            OtherThread.start {
                loop.perform(100)
                done.open()
            }
            entered.pass()
            reduced.open()
        }
        loop.emit(1)
        done.pass()
        return (log.steps.map(\.event), log)
    }

    @Test func anEventTakenWhileAnotherThreadPerformsIsReducedAfterwards() {
        let feedback = Feedback<Int, Int>.onEvent(where: { _, event in event == 1 }) { _, _, run in
            run.emit(contentsOf: [7, 8, 9])
            return .finished
        }
        #expect(steps(takingAt: 0, of: feedback).steps == [1, 100, 7, 8, 9])
        #expect(steps(takingAt: 1, of: feedback).steps == [1, 7, 100, 8, 9])
        #expect(steps(takingAt: 2, of: feedback).steps == [1, 7, 8, 100, 9])
    }

    @Test func anEventTakenWhileAnotherThreadPerformsIsWithdrawnUnlessItsEntryIsBegun() {
        let feedback = Feedback<Int, Int>.onState("stale", where: { $0 == 1 }) { _, run in
            run.emit(contentsOf: [7, 8, 9])
            return .finished
        }
        let whole = steps(takingAt: 0, of: feedback)
        #expect(whole.steps == [1, 100])
        #expect(whole.log.lines("withdrawn").count == 3)
        #expect(steps(takingAt: 1, of: feedback).steps == [1, 7, 100, 8, 9])
        #expect(steps(takingAt: 2, of: feedback).steps == [1, 7, 8, 100, 9])
        let single = Feedback<Int, Int>.onState("stale", where: { $0 == 1 }, effect: { _ in 7 })
        #expect(steps(takingAt: 0, of: single).steps == [1, 100])
        #expect(steps(takingAt: 0, of: single, in: .bounded(1)).steps == [1, 100])
        #expect(steps(takingAt: 1, of: feedback, in: .bounded(2)).steps == [1, 7, 100, 8, 9])
    }
}

/// A clock that stands still and calls a function at one of its readings.
private final class HookedClock: LoopClock {
    private let reads = Box(0)
    private let hook = Box<(read: Int, body: @Sendable () -> Void)?>(nil)

    func hook(atRead read: Int, _ body: @escaping @Sendable () -> Void) {
        reads.value = 0
        hook.value = (read, body)
    }

    var now: LoopInstant {
        let read = reads.change { $0 += 1 }
        if let hook = hook.value, hook.read == read { hook.body() }
        return LoopInstant(nanoseconds: 0)
    }

    func schedule(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Cancellation {
        Cancellation {}
    }
}
