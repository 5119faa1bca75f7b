import TestSupport
import Testing

@testable import HostLoop

/// A serial executor that is held runs nothing, and loses nothing.
@Suite(.timeLimit(.minutes(10))) struct HeldExecutorTests {
    @Test func jobs_waitForTheRelease() async {
        let executor = LoopExecutor.serial("held")
        let log = Box<[Int]>([])
        await withCheckedContinuation { continuation in executor.hold { continuation.resume() } }
        for number in 0..<3 { executor.run { log.change { $0.append(number) } } }
        // A pool whose threads are all free has had time for them.
        for _ in 0..<100 {
            await withCheckedContinuation { continuation in LoopExecutor.pool.run { continuation.resume() } }
        }
        #expect(log.value == [])
        executor.release()
        await withCheckedContinuation { continuation in executor.run { continuation.resume() } }
        #expect(log.value == [0, 1, 2])
    }

    @Test func aHold_beginsAfterTheCurrentJob_andBeforeTheNext() async {
        let executor = LoopExecutor.serial("held")
        let (began, gate, log) = (Gate(), Gate(), Box<[String]>([]))
        executor.run {
            began.open()
            gate.pass()
            log.change { $0.append("job") }
        }
        began.pass()
        executor.run { log.change { $0.append("next") } }
        await withCheckedContinuation { continuation in
            executor.hold {
                log.change { $0.append("held") }
                continuation.resume()
            }
            gate.open()
        }
        #expect(log.value == ["job", "held"])
        executor.release()
        await withCheckedContinuation { continuation in executor.run { continuation.resume() } }
        #expect(log.value == ["job", "held", "next"])
    }

    @Test func aRelease_beforeTheHold_undoesIt() async {
        let executor = LoopExecutor.serial("held")
        let (began, gate, log) = (Gate(), Gate(), Box<[String]>([]))
        executor.run {
            began.open()
            gate.pass()
        }
        began.pass()
        executor.hold { log.change { $0.append("held") } }
        executor.release()
        gate.open()
        await withCheckedContinuation { continuation in executor.run { continuation.resume() } }
        #expect(log.value == [])
    }
}
