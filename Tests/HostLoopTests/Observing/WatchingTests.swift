import HostLoop
import Testing

/// Observers that join a loop while it runs, and leave it.
@Suite(.timeLimit(.minutes(10))) struct WatchingTests {
    /// Notes what it sees.
    private final class Watcher: LoopObserver {
        let steps = Lock<[LoopStep<Int, Int>]>([])
        let runs = Lock<[EffectRun]>([])

        func stepped(_ step: LoopStep<Int, Int>) { steps.withLock { $0.append(step) } }
        func effectStarted(_ run: EffectRun, by event: Int?) { runs.withLock { $0.append(run) } }
    }

    /// A loop that adds its events, and calls an effect for each odd state.
    private static func start() -> Loop<Int, Int> {
        Spin<Int, Int>(
            initialState: 0,
            reducer: Reducer { state, event in
                state += event
                return event != 0
            },
            feedbacks: [
                .onState("odd", where: { $0 % 2 == 1 }, effect: { _ in 1 })
            ]
        ).start()
    }

    /// Waits until everything is done that was asked for before.
    private static func settle(_ loop: Loop<Int, Int>) async {
        await withCheckedContinuation { continuation in
            _ = loop.betweenSteps { continuation.resume() }
        }
    }

    private static func reach(_ state: Int, _ loop: Loop<Int, Int>) async {
        for await now in loop.states() where now == state { return }
    }

    @Test func `An observer that joins sees all later steps with their causes, and no earlier one`()
        async throws
    {
        let loop = Self.start()
        loop.emit(2)
        await Self.reach(2, loop)
        let watcher = Watcher()
        #expect(loop.observe(with: watcher))
        await Self.settle(loop)
        loop.emit(3)
        await Self.reach(6, loop)
        await Self.settle(loop)
        let steps = watcher.steps.withLock { $0 }
        #expect(steps.map(\.index) == [2, 3])
        #expect(steps.map(\.before) == [2, 5])
        #expect(steps.map(\.after) == [5, 6])
        #expect(steps[0].origin == .outside)
        #expect(steps[1].origin.run?.feedback == "odd")
        #expect(watcher.runs.withLock { $0.map(\.number) } == [1])
        loop.stop()
        #expect(!loop.observe(with: watcher))
    }

    @Test func `An observer that has left sees nothing more, and can join again`() async throws {
        let loop = Self.start()
        let watcher = Watcher()
        #expect(loop.observe(with: watcher))
        loop.emit(2)
        await Self.reach(2, loop)
        loop.endObservation(by: watcher)
        await Self.settle(loop)
        let seen = watcher.steps.withLock(\.count)
        loop.emit(2)
        await Self.reach(4, loop)
        await Self.settle(loop)
        #expect(watcher.steps.withLock(\.count) == seen)
        #expect(loop.observe(with: watcher))
        await Self.settle(loop)
        loop.emit(2)
        await Self.reach(6, loop)
        await Self.settle(loop)
        #expect(watcher.steps.withLock { $0.map(\.after).last } == 6)
        loop.stop()
    }
}
