import HostLoop
import HostLoopTesting
import Testing

/// The end of all loops by key.
@Suite struct KeyedEndTests {
    @Test func stoppingStopsAllLoops() async {
        let log = Counting.Log()
        let loops = Keyed.loops(keep: .seconds(1), observers: { _ in [log] })
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
        let loops = Keyed.loops(hold(0, 2), hold(1, 5))
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
        var loops: Keyed.Loops? = Keyed.loops(observers: { _ in [log] })
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
        let loops = Keyed.loops()
        let emitter = loops.emitter
        #expect(emitter.perform(1, on: "a") == .queued)
        #expect(await emitter.send(1, to: "a") == .queued)
        #expect(emitter.emit(1, to: "a") == .queued)
        #expect(loops.state(of: "a") == 4)
        #expect(emitter.stop("a"))
        #expect(loops.count == 0)
    }

    @Test func aCancelledSenderMakesNoLoop() async {
        let loops = Keyed.loops()
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
