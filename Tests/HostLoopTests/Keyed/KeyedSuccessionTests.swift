import HostLoopTesting
import Synchronization
import TestSupport
import Testing

@testable import HostLoop

/// Loops by key take the place of others: no loop, event or run is lost, and nothing happens twice.
@Suite(.timeLimit(.minutes(10))) struct KeyedSuccessionTests {
    private typealias Loops = KeyedLoops<String, Int, Int>

    /// Loops that add numbers on an executor of their own. Each has a run while its state has tens.
    private struct World {
        let loops: Loops
        let executor = LoopExecutor.serial("loops")
        let clock: ManualClock
        let runs = Runs()
        let cancelled = Box<[Int]>([])
        let reduced = Box<[Int]>([])
        /// The states in which loops begin or continue, as observers see them.
        let started = Box<[Int]>([])

        /// - Parameter reducing: called with each event before it is reduced.
        init(
            _ clock: ManualClock = ManualClock(),
            reducing: @escaping @Sendable (LoopExecutor, Int) -> Void = { _, _ in }
        ) {
            self.clock = clock
            let (runs, cancelled, reduced, started) = (runs, cancelled, reduced, started)
            let executor = executor
            let spin = Spin<Int, Int>(
                initialState: -1,
                reducer: Reducer { state, event in
                    reducing(executor, event)
                    reduced.change { $0.append(event) }
                    state += event
                    return true
                },
                feedbacks: [
                    Feedback.onChange("tens", request: { $0 >= 10 ? $0 / 10 : nil }) { tens, run in
                        run.onCancel { cancelled.change { $0.append(tens) } }
                        return runs.start(tens, run)
                    },
                    Feedback.onEach("digits", requests: { $0 < 0 ? [] : [$0 % 10] }, key: { $0 }) { _, run in
                        run.onCancel { run.finish() }
                        return .pending
                    },
                ], until: { $0 >= 1000 }, executor: executor, clock: clock)
            loops = Loops(
                spin, startingFrom: \.count, limit: .max, keep: .seconds(10), creates: { $0 < 900 },
                observers: { _ in [StartLog(started)] },
                activity: KeyedActivity(woke: {}, rested: {}), faulted: { _, _, _ in })
        }

        /// Waits until the loops have done what they have to do now.
        func settle() async {
            await withCheckedContinuation { continuation in executor.run { continuation.resume() } }
        }

        func hold() async {
            await withCheckedContinuation { continuation in executor.hold { continuation.resume() } }
        }

        /// Has these loops take the place of others, in which an event is a hundredth of what it is here.
        func follow(_ other: World, continuing: Bool = true, state: (String, Int) -> Int = { $1 }) async {
            await hold()
            let succession = LoopSuccession<Int>(feedbacks: continuing ? [0: 0, 1: 1] : [:]) {
                $0 > 90 ? nil : $0 * 100
            }
            loops.takePlace(
                of: other.loops, succession, state: state, kept: { $0 == "gone" ? nil : state($0, $1) })()
            executor.release()
            other.executor.release()
            await settle()
        }
    }

    private final class StartLog: LoopObserver {
        private let states: Box<[Int]>
        init(_ states: Box<[Int]>) { self.states = states }
        var seesSteps: Bool { false }
        func started(_ state: Int) { states.change { $0.append(state) } }
        func stepped(_ step: LoopStep<Int, Int>) {}
    }

    @Test func loopsContinue_withTheirStatesEventsAndOrder() async throws {
        let (old, new) = (World(), World())
        for key in ["a", "bb", "ccc"] { old.loops.emit(1, to: key) }
        await old.settle()
        let cursor = try #require(old.loops.page(atMost: 1).next)
        await old.hold()
        // These wait, and the fourth loop has not begun.
        old.loops.emit(2, to: "a")
        old.loops.emit(91, to: "bb")
        old.loops.emit(3, to: "dddd")
        await new.follow(old)
        #expect(new.loops.page(atMost: 9).loops.map(\.key) == ["a", "bb", "ccc", "dddd"])
        #expect(new.loops.page(atMost: 9).loops.map(\.state) == [202, 3, 4, 304])
        #expect(new.loops.page(after: cursor, atMost: 9).loops.map(\.key) == ["bb", "ccc", "dddd"])
        #expect(new.started.value == [2, 3, 4, 4])
        #expect(new.loops.counters.made == 4 && new.loops.counters.stopped == 0)
        #expect(new.loops.counters(of: "a")?.steps == 2)
        #expect(new.loops.counters(of: "bb")?.discarded == 1)
        // The next loop has the next place.
        new.loops.emit(1, to: "e")
        #expect(new.loops.page(atMost: 9).loops.map(\.key).last == "e")
        await old.loops.ended.wait()
        // The old loops stay readable.
        #expect(old.loops.page(atMost: 9).loops.map(\.state) == [2, 3, 4, 4])
    }

    @Test func laterEvents_goToTheNewLoops() async {
        let (old, new) = (World(), World())
        old.loops.emit(1, to: "a")
        await old.settle()
        await old.hold()
        await new.follow(old)
        #expect(old.loops.emit(1, to: "a") == .queued)
        #expect(old.loops.emit(2, to: "new") == .queued)
        #expect(await old.loops.send(3, to: "new") == .queued)
        #expect(old.loops.emit(91, to: "a") == .stopped)
        await new.settle()
        #expect(new.loops.state(of: "a") == 102)
        #expect(new.loops.state(of: "new") == 503)
        #expect(new.loops.counters.discarded == 1)
    }

    @Test func eventsThatComeMeanwhile_waitInTheirOrder() async {
        let (old, new) = (World(), World())
        for key in ["a", "b"] { old.loops.emit(0, to: key) }
        await old.settle()
        await old.hold()
        let next = Box(1)
        await new.follow(old) { key, state in
            for number in next.value..<next.value + 2 { #expect(old.loops.emit(number, to: "z") == .queued) }
            next.change { $0 += 2 }
            #expect(old.loops.state(of: key) == state)
            return state
        }
        #expect(new.reduced.value == [100, 200, 300, 400])
        #expect(new.loops.state(of: "z") == 1001)
        #expect(new.loops.page(atMost: 9).loops.map(\.key) == ["a", "b"])
    }

    @Test func runsContinue_whileTheirRequestsStay() async {
        let (old, new) = (World(), World())
        for (key, number) in [("a", 20), ("b", 20), ("c", 0)] { old.loops.emit(number, to: key) }
        await old.settle()
        #expect(old.runs.inputs == [2, 2])
        await old.hold()
        await new.follow(old) { key, state in key == "b" ? state + 10 : state }
        // The run of `a` continues, that of `b` is replaced.
        #expect(new.runs.inputs == [3])
        #expect(old.cancelled.value == [2])
        #expect(old.runs[0].emit(1) == .queued)
        #expect(old.runs[1].emit(1) == .cancelled)
        await new.settle()
        #expect(new.loops.state(of: "a") == 121)
        #expect(new.loops.state(of: "b") == 31)
        #expect(Set(new.loops.ended.running.map(\.feedback)) == ["tens", "digits"])
        new.loops.stop()
        old.runs.finishAll()
        new.runs.finishAll()
    }

    @Test func runsThatDoNotContinue_areCancelled_andTheOldLoopsEndWithThem() async {
        let (old, new) = (World(), World())
        old.loops.emit(20, to: "a")
        await old.settle()
        await old.hold()
        await new.follow(old, continuing: false)
        #expect(old.cancelled.value == [2])
        #expect(new.runs.inputs == [2])
        #expect(!old.loops.ended.running.isEmpty)
        #expect(old.loops.ended.running.map(\.feedback) == ["tens"])
        old.runs.finishAll()
        await old.loops.ended.wait()
    }

    @Test func keptStates_stayForTheirTime() async {
        let clock = ManualClock()
        let (old, new) = (World(clock), World(clock))
        old.loops.emit(0, to: "first")
        for key in ["a", "gone"] {
            old.loops.emit(899, to: key)
            old.loops.emit(101, to: key)
        }
        await old.settle()
        #expect(old.loops.state(of: "a") == 1001 && old.loops.count == 1)
        clock.advance(by: .seconds(4))
        await old.hold()
        await new.follow(old) { $1 + 1 }
        #expect(new.loops.state(of: "a") == 1002)
        #expect(new.loops.counters.kept == 1 && new.loops.state(of: "gone") == nil)
        // The numbers of those that have ended are not given again.
        new.loops.emit(0, to: "next")
        #expect(new.loops.page(after: KeyedCursor(number: 3), atMost: 9).loops.map(\.key) == ["next"])
        clock.advance(by: .seconds(5))
        #expect(new.loops.state(of: "a") == 1002)
        clock.advance(by: .seconds(1))
        #expect(new.loops.state(of: "a") == nil)
    }

    /// A loop whose last step has taken long has stopped, and waits for its turn to close.
    @Test func aLoopThatStopsJustNow_isKeptAndCounted() async {
        let clock = ManualClock()
        let held = AsyncGate()
        let old = World(clock) { executor, event in
            guard event == 1000 else { return }
            // The slice of the loop is over with this step, and the executor is held after it.
            clock.advance(by: .milliseconds(2))
            executor.hold { held.open() }
        }
        let new = World(clock)
        old.loops.emit(1, to: "a")
        await old.settle()
        old.loops.emit(1000, to: "a")
        await held.wait()
        await new.follow(old)
        #expect(new.loops.state(of: "a") == 1002 && new.loops.count == 0)
        #expect(new.started.value == [] && new.runs.inputs == [])
        #expect(new.loops.counters.made == 1 && new.loops.counters.stopped == 1)
        old.runs.finishAll()
        await old.loops.ended.wait()
    }

    @Test func aLoopThatIsAskedToStop_endsWhereItIs_andCountsInTheNewLoops() async {
        let (old, new) = (World(), World())
        old.loops.emit(1, to: "a")
        await old.settle()
        await old.hold()
        old.loops.emit(2, to: "a")
        #expect(old.loops.stop("a"))
        await new.follow(old)
        await old.loops.ended.wait()
        #expect(new.started.value == [] && new.loops.count == 0)
        #expect(new.loops.counters == KeyedCounters(made: 1, stopped: 1, discarded: 1))
        #expect(new.loops.pastTotals.steps == 1)
    }

    @Test func whatALoopHasCounted_countsInTheLastLoops_whenItEndsLater() async {
        let (old, next, last) = (World(), World(), World())
        for number in [20, 1] { old.loops.emit(number, to: "a") }
        await old.settle()
        #expect(old.loops.stop("a"))
        await old.settle()
        await old.hold()
        await next.follow(old)
        await next.hold()
        await last.follow(next)
        #expect(last.loops.pastTotals.steps == 0)
        old.runs.finishAll()
        await old.loops.ended.wait()
        #expect(last.loops.pastTotals.steps == 2)
    }

    @Test func theOldLoops_canBeReadAndNotStopped() async {
        let (old, new) = (World(), World())
        old.loops.emit(1, to: "a")
        await old.settle()
        await old.hold()
        await new.follow(old)
        #expect(!old.loops.stop("a"))
        #expect(old.loops.state(of: "a") == 2 && new.loops.state(of: "a") == 2)
        old.loops.stop()
        #expect(new.loops.state(of: "a") == 2)
    }

    /// Threads emit while one set of loops takes the place of the other, many times.
    @Test func nothingIsLost_underLoad() async {
        let rounds = 40
        let total = Atomic<Int>(0)
        func loops() -> (Loops, LoopExecutor) {
            let executor = LoopExecutor.serial("loops")
            let spin = Spin<Int, Int>(
                initialState: 0,
                reducer: Reducer { state, event in
                    state += event
                    total.add(event, ordering: .relaxed)
                    return true
                },
                feedbacks: [
                    Feedback.onEvent("again", strategy: .continueOnNewState) { _, event, run in
                        if event == 1 { run.emit(2) }
                        return .finished
                    }.execute(on: .pool)
                ], executor: executor)
            return (
                Loops(
                    spin, startingFrom: { _ in 0 }, limit: .max, keep: .zero, creates: { _ in true },
                    observers: { _ in [] }, activity: KeyedActivity(woke: {}, rested: {}),
                    faulted: { _, _, _ in }), executor
            )
        }
        var (now, executor) = loops()
        let first = now
        async let sent = withTaskGroup(of: Int.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<20_000 {
                        #expect(first.emit(1, to: "\((number * 7 + thread) % 50)") == .queued)
                    }
                    return 20_000
                }
            }
            return await group.reduce(0, +)
        }
        var all = [now]
        for _ in 0..<rounds {
            let (next, nextExecutor) = loops()
            for executor in [executor, nextExecutor] {
                await withCheckedContinuation { continuation in executor.hold { continuation.resume() } }
            }
            next.takePlace(
                of: now, LoopSuccession(feedbacks: [0: 0]) { $0 }, state: { $1 }, kept: { $1 })()
            nextExecutor.release()
            executor.release()
            (now, executor) = (next, nextExecutor)
            all.append(next)
        }
        let count = await sent
        while total.load(ordering: .relaxed) < 3 * count { await Task.yield() }
        var sum = 0
        for key in 0..<50 { sum += now.state(of: "\(key)") ?? 0 }
        #expect(sum == 3 * count)
        #expect(now.counters.made == 50)
        for loops in all.dropLast() { await loops.ended.wait() }
    }
}
