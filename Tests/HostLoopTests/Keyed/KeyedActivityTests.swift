import Synchronization
import TestSupport
import Testing

@testable import HostLoop

/// Whether the loops of all keys are quiet.
@Suite(.timeLimit(.minutes(10))) struct KeyedActivityTests {
    private typealias Loops = KeyedLoops<Int, Int, Int>

    /// Loops that pass numbers on to another key until they are 0, some of them later.
    private final class Place: Sendable {
        let loops = Lock<Loops?>(nil)
        let steps = Atomic<Int>(0)
        func emit(_ number: Int, to key: Int) { loops.withLock { $0 }?.emit(number, to: key) }
    }

    private func loops(_ activity: KeyedActivity, _ later: LoopExecutor, _ place: Place) -> Loops {
        let spin = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { state, event in
                place.steps.add(1, ordering: .relaxed)
                state = event
                return true
            },
            feedbacks: [
                Feedback.onEvent("pass") { _, number, run in
                    if number > 0 { place.emit(number - 1, to: number % 7) }
                    return .finished
                }.execute(on: later)
            ], until: { $0 == 0 }, executor: .serial("loops"))
        let loops = Loops(
            spin, startingFrom: { _ in -1 }, limit: .max, keep: .zero, creates: { _ in true },
            observers: { _ in [] }, activity: activity, faulted: { _, _, _ in })
        place.loops.withLock { $0 = loops }
        return loops
    }

    /// Each time that the loops are told to be quiet, the chain of events is over.
    @Test(arguments: [LoopExecutor.caller, .pool, .blocking])
    func quiet_meansThatNothingIsUnderWay(later: LoopExecutor) async {
        let rested = AsyncStream.makeStream(of: Void.self)
        let woken = Atomic<Int>(0)
        let place = Place()
        let activity = KeyedActivity(
            woke: { woken.add(1, ordering: .relaxed) }, rested: { rested.continuation.yield() })
        let loops = loops(activity, later, place)
        defer { place.loops.withLock { $0 = nil } }
        #expect(activity.isQuiet)
        var rests = rested.stream.makeAsyncIterator()
        for round in 1...200 {
            let before = place.steps.load(ordering: .relaxed)
            loops.emit(20, to: round)
            #expect(woken.load(ordering: .relaxed) > 0)
            // Between two loops of the chain, an effect is under way. So all is quiet once, at the end.
            repeat { await rests.next() } while !activity.isQuiet
            #expect(place.steps.load(ordering: .relaxed) == before + 21)
        }
        // A loop that 0 has ended leaves, and its steps stay counted.
        #expect(loops.pastTotals.steps >= 200)
        #expect(loops.counters.stopped == 200)
        loops.stop()
        await loops.ended.wait()
        #expect(activity.isQuiet)
    }

    /// A loop whose effect lasts keeps all from being quiet, until the effect or the loop ends.
    @Test func aLastingEffect_isNotQuiet() async {
        let rested = AsyncStream.makeStream(of: Void.self)
        let runs = Lock<[Run<Int>]>([])
        let activity = KeyedActivity(woke: {}, rested: { rested.continuation.yield() })
        let spin = Spin<Int, Int>(
            initialState: 0, reducer: Reducer { _, _ in true },
            feedbacks: [
                Feedback.onEvent("last", strategy: .skipWhileRunning) { _, _, run in
                    runs.withLock { $0.append(run) }
                    return .pending
                }
            ], executor: .serial("loops"))
        let loops = Loops(
            spin, startingFrom: { _ in 0 }, limit: .max, keep: .zero, creates: { _ in true },
            observers: { _ in [] }, activity: activity, faulted: { _, _, _ in })
        var rests = rested.stream.makeAsyncIterator()
        for key in 1...3 { loops.emit(1, to: key) }
        while runs.withLock({ $0.count }) < 3 { await Task.yield() }
        #expect(!activity.isQuiet)
        for run in runs.withLock({ $0.prefix(2) }) { run.finish() }
        #expect(!activity.isQuiet)
        loops.stop(3)
        runs.withLock { $0[2] }.finish()
        repeat { await rests.next() } while !activity.isQuiet
        loops.stop()
        await loops.ended.wait()
    }
}
