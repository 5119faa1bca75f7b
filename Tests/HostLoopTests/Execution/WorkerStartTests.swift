import Dispatch
import Testing

@testable import HostLoop

/// Jobs get their threads although the system has none to give at first.
@Suite struct WorkerStartTests {
    private final class Job: Runnable {
        private let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        func run() { body() }
    }

    /// Fails at the first attempts, and starts threads afterwards.
    private func starter(failures: Int, attempts: Box<Int>) -> WorkerThreads.ThreadStarter {
        { body in attempts.change { $0 += 1 } > failures && Platform.startThread(body) }
    }

    @Test(arguments: [1, Int.max])
    func aJobWhoseThreadCouldNotBeStarted_runsWhenOneCan(limit: Int) {
        let attempts = Box(0)
        let threads = WorkerThreads(
            label: "test", limit: limit, spare: 0, lingering: .seconds(1),
            startThread: starter(failures: 4, attempts: attempts))
        let ran = Gate()
        threads.enqueue(Job { ran.open() })
        ran.pass()
        #expect(attempts.value >= 5)
    }

    /// Each job waits for all the others, so each needs a thread of its own.
    @Test func jobsThatBlockGetAThreadEach_whenThreadsCanBeStartedAgain() {
        let count = 5
        let inside = Box(0)
        let (allInside, gate) = (Gate(), Gate())
        let threads = WorkerThreads(
            label: "test", limit: .max, spare: 0, lingering: .seconds(1),
            startThread: starter(failures: count + 2, attempts: Box(0)))
        for _ in 0..<count {
            threads.enqueue(
                Job {
                    if inside.change({ $0 += 1 }) == count { allInside.open() }
                    gate.pass()
                })
        }
        allInside.pass()
        for _ in 0..<count { gate.open() }
    }

    private let job = Job {}

    @Test func eachJobThatIsAddedTriesAgainAtOnce() {
        var queue = JobQueue(limit: 2, spare: 0, polls: false)
        let first = queue.add(job)
        let setsTimer = queue.startFailed(1)
        let second = queue.add(job)
        let setsItAgain = queue.startFailed(1)
        #expect(first == .newWorker && second == .newWorker)
        #expect(setsTimer && !setsItAgain && queue.workers == 0)
    }

    @Test func failedAttemptsComeLaterAndLater_aGoodOneBeginsFromTheShortestPause() {
        var queue = JobQueue(limit: 2, spare: 0, polls: false)
        _ = queue.add(job)
        _ = queue.startFailed(1)
        var pauses: [Int64] = []
        for _ in 0..<10 {
            pauses.append(queue.pause / 1_000_000)
            guard case .start(workers: 1) = queue.look(ready: 0, arrivals: 0) else { break }
            _ = queue.startFailed(1)
        }
        #expect(pauses == [10, 20, 40, 80, 160, 320, 640, 1280, 1280, 1280])
        queue.started()
        #expect(queue.pause == 5_000_000)
    }

    @Test func aLookStartsAWorkerForEachJobThatWaits_upToTheLimit() {
        var queue = JobQueue(limit: 3, spare: 0, polls: false)
        for _ in 0..<5 where queue.add(job) == .newWorker { _ = queue.startFailed(1) }
        guard case .start(let workers) = queue.look(ready: 0, arrivals: 0) else {
            Issue.record("no worker starts")
            return
        }
        #expect(workers == 3 && queue.workers == 3)
        _ = queue.startFailed(2)
        guard case .start(let others) = queue.look(ready: 4, arrivals: 0) else {
            Issue.record("no worker starts")
            return
        }
        #expect(others == 2 && queue.workers == 3)
    }

    @Test func theTimerIsOffWhenNoJobWaits() {
        var queue = JobQueue(limit: 2, spare: 0, polls: false)
        _ = queue.add(job)
        _ = queue.startFailed(1)
        queue.jobs.removeAll()
        guard case .over = queue.look(ready: 0, arrivals: 0) else {
            Issue.record("the timer stays on")
            return
        }
        _ = queue.add(job)
        let setsTimer = queue.startFailed(1)
        #expect(setsTimer)
    }
}
