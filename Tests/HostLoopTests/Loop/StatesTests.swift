import Dispatch
import Testing

@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies

/// Streams of states: rule 2.
@Suite struct StatesTests {
    private func all<States: AsyncSequence>(
        _ states: States
    ) async -> [States.Element] where States.Failure == Never {
        var read: [States.Element] = []
        for await state in states { read.append(state) }
        return read
    }

    @Test(arguments: [
        (StateBuffering.unbounded, [1, 3, 6, 6]), (.newest(1), [6]), (.oldest(2), [1, 3]),
    ])
    func statesOfALoopBeginWithTheCurrentOne(buffering: StateBuffering, expected: [Int]) async {
        let loop = Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { (state: inout Int, event: Int) -> Bool in
                state += event
                return true
            }, feedbacks: [], executor: .caller
        ).start()
        loop.emit(1)
        let states = loop.states(buffering: buffering)
        for event in [2, 3, 0] { loop.emit(event) }
        loop.stop()
        #expect(await all(states) == expected)
    }

    @Test func unhandledEventsAndFailuresMakeNoState() async {
        let loop = Counting.spin().start()
        let states = loop.states()
        for event in [2, 0, -5, 3] { loop.emit(event) }
        loop.stop()
        #expect(await all(states) == [0, 2, 5])
    }

    @Test func aStreamDoesNotKeepTheLoopRunning() async {
        var loop: Loop<Int, Int>? = Counting.spin().start()
        let states = loop?.states()
        loop?.emit(1)
        loop = nil
        #expect(await all(states ?? AsyncStream { $0.finish() }) == [0, 1])
    }

    @Test func aLoopThatHasStoppedStillHasItsLastState() async {
        let loop = Counting.spin().start()
        loop.emit(4)
        loop.stop()
        #expect(await all(loop.states()) == [4])
    }

    @Test func aStreamWithoutReferencesIsReleased() {
        let loop = Counting.spin().start()
        for _ in 0..<3 {
            let states = loop.states()
            loop.emit(1)
            #expect(loop.core.extras?.sinks.count == 1)
            #expect(loop.core.hasFollowUp)
            withExtendedLifetime(states) {}
        }
        #expect(loop.core.extras?.sinks.isEmpty ?? true)
        #expect(!loop.core.hasFollowUp)
        #expect(loop.state == 3)
    }

    @Test func aStreamMadeInsideAStepBeginsWithTheStateOfThatStep() async {
        let made = Box<AsyncStream<Int>?>(nil)
        let handle = Box<(@Sendable () -> Void)?>(nil)
        let loop = Counting.spin(
            .onState { state in
                if state == 3 { handle.value?() }
                return state == 3 ? 10 : nil
            }
        ).start()
        handle.value = { [weak loop] in made.value = loop?.states() }
        loop.emit(3)
        loop.stop()
        #expect(await all(made.value ?? AsyncStream { $0.finish() }) == [3, 13])
    }

    @Test func aStreamMadeWhileThreadsEmitMissesNothing() async {
        let loop = Counting.spin(executor: .pool, until: { $0 == 20_000 }).start()
        let streams = Box<[AsyncStream<Int>]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for index in 0..<5_000 {
                loop.emit(1)
                if index % 1_000 == 500 { streams.change { $0.append(loop.states()) } }
            }
        }
        #expect(streams.value.count == 20)
        for stream in streams.value {
            let states = await all(stream)
            #expect(states == Array((states.first ?? 0)...20_000))
        }
    }

    @Test func aStreamThatIsMadeWhileTheLoopStopsFinishes() async {
        for _ in 0..<200 {
            let loop = Counting.spin(executor: .pool).start()
            loop.emit(1)
            let stream = Box<AsyncStream<Int>?>(nil)
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 { loop.stop() } else { stream.value = loop.states() }
            }
            let states = await all(stream.value ?? AsyncStream { $0.finish() })
            #expect(states == [0] || states == [1] || states == [0, 1])
        }
    }

    @Test func everyIterationOfASpinsStatesHasALoopOfItsOwn() async {
        let states = Levels.spin(executor: .pool).states
        for _ in 0..<2 {
            var course: [String] = []
            for await state in states {
                course.append(state.description)
                if course.count == Levels.course.count { break }
            }
            #expect(course == Levels.course)
        }
    }

    @Test func anIterationEndsWithItsLoop() async {
        let spin = Counting.spin(until: { $0 == 3 }, .onState(effect: { _ in 1 }))
        #expect(await all(spin.states) == [0, 1, 2, 3])
    }

    @Test func theLoopOfAnIterationStopsWhenTheIteratorIsDropped() async {
        let runs = Runs()
        let cancelled = Box(false)
        let spin = Counting.spin(
            .always(run: { state, run in
                run.onCancel { cancelled.value = true }
                return runs.start(state, run)
            }))
        func first() async -> Int? {
            for await state in spin.states { return state }
            return nil
        }
        #expect(await first() == 0)
        #expect(cancelled.value)
        runs.finishAll()
    }

    @Test func theLoopOfAnIterationStopsWhenItsTaskIsCancelled() async {
        let runs = Runs()
        let (cancellations, cancelled) = AsyncStream.makeStream(of: Void.self)
        let (firsts, first) = AsyncStream.makeStream(of: Int.self)
        let spin = Counting.spin(
            executor: .pool,
            .always(run: { state, run in
                run.onCancel { cancelled.yield() }
                return runs.start(state, run)
            }))
        let task = Task {
            for await state in spin.states { first.yield(state) }
        }
        for await state in firsts {
            #expect(state == 0)
            break
        }
        task.cancel()
        for await _ in cancellations { break }
        await task.value
        runs.finishAll()
    }

    @Test func aStreamThatIsNoLongerReadStopsTheLoopThatRunsWithinTheSubscription() {
        let calls = Box(0)
        let spin = Counting.spin(
            .onState { state -> Int? in
                calls.change { $0 += 1 }
                return state < 1000 ? 1 : nil
            })
        #expect(FlowProbe(spin.stream.prefix(3)).lines == ["0", "1", "2", "finished"])
        #expect(calls.value < 4)
    }
}
