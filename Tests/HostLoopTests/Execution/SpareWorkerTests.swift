import Dispatch
import TestSupport
import Testing

@testable import HostLoop

/// Effects that block the threads of the pool do not stop other loops.
@Suite struct SpareWorkerTests {
    private final class Job: Runnable {
        private let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        func run() { body() }
    }

    @Test func whileEffectsBlockAllThreadsOfThePool_anotherLoopSteps() async {
        let count = Processors.usable
        let inside = Box(0)
        let (allInside, gate) = (Gate(), Gate())
        let blocked = (0..<count).map { _ in
            Counting.spin(
                executor: .pool, until: { $0 == 1 },
                .onState(where: { $0 == 0 }) { _ in
                    if inside.change({ $0 += 1 }) == count { allInside.open() }
                    gate.pass()
                    return 1
                }
            ).start()
        }
        allInside.pass()
        let other = Counting.spin(executor: .pool, until: { $0 == 5_000 }, .onState { _ in 1 }).start()
        await other.ended.wait()
        #expect(blocked.allSatisfy { $0.state == 0 })
        for _ in 0..<count { gate.open() }
        for loop in blocked { await loop.ended.wait() }
    }

    @Test func spareWorkersStartUpToTheirLimit_andEndWhenTheOthersReturn() {
        let attempts = Box(0)
        let ended = Gate()
        let threads = WorkerThreads(label: "test", limit: 2, spare: 3, lingering: nil) { body in
            attempts.change { $0 += 1 }
            return Platform.startThread {
                body()
                ended.open()
            }
        }
        let gate = Gate()
        let inside = Box(0)
        let allInside = Gate()
        for _ in 0..<5 {
            threads.enqueue(
                Job {
                    if inside.change({ $0 += 1 }) == 5 { allInside.open() }
                    gate.pass()
                })
        }
        let last = Gate()
        threads.enqueue(Job { last.open() })
        allInside.pass()
        #expect(attempts.value == 5)
        for _ in 0..<5 { gate.open() }
        last.pass()
        for _ in 0..<3 { ended.pass() }
    }

    /// Jobs that wait all the time, none of which takes longer than a slice of a loop.
    @Test(arguments: 1...8)
    func aPoolThatIsOnlyBusyStartsNoSpareWorker(limit: Int) {
        var model = PoolModel(limit: limit, spare: 64, seed: UInt64(limit))
        var most = 0
        for tick in 0..<50_000 {
            // At times all jobs are done, so that workers sleep and the timer is off.
            let isPause = tick % 5_000 > 4_500
            while !isPause, model.waiting < 3 { model.add(.slice) }
            model.tick()
            most = max(most, model.queue.workers)
        }
        #expect(model.faults == [])
        #expect(most == limit)
        #expect(model.finished > 10_000)
    }

    @Test(arguments: 0..<20)
    func noJobWaitsForEver_andSpareWorkersEnd_whateverBlocksAndFails(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = PoolModel(limit: Int.random(in: 1...4, using: &random), spare: 20, seed: seed)
        for tick in 0..<50_000 {
            if tick % 5_000 == 0 { model.failingStarts = [0, 0, 1, 3].randomElement(using: &random)! }
            switch Int.random(in: 0..<2_000, using: &random) {
            // At most as many as the spare workers, so that one worker remains.
            case 0..<10: if model.blocking < 20 { model.add(.blocking) }
            case 10..<20: model.unblockOne()
            case 20..<300: model.add(.slice)
            case 300..<310: for _ in 0..<50 { model.add(.slice) }
            default: break
            }
            model.tick()
            if !model.faults.isEmpty { break }
        }
        #expect(model.faults == [])
        model.failingStarts = 0
        // All return under full load, which leaves no worker without a job.
        for _ in 0..<10_000 {
            model.unblockOne()
            while model.waiting < 3 { model.add(.slice) }
            model.tick()
        }
        #expect(model.queue.workers <= model.queue.limit)
        for _ in 0..<100_000 where model.finished < model.added {
            model.unblockOne()
            model.tick()
        }
        for _ in 0..<100 { model.tick() }
        #expect(model.faults == [])
        #expect(model.finished == model.added)
        #expect(!model.timerIsOn)
    }
}
