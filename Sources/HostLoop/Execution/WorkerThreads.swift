import Dispatch
import Synchronization

/// Threads that run jobs, first in, first out: one for each processor, or one for each job that blocks.
final class WorkerThreads: ExecutorTarget {
    /// One thread for each processor, for the life of the process. Up to 64 more while all of them block.
    static let shared = WorkerThreads(
        label: "pool", limit: Processors.usable, spare: 64, lingering: nil)

    /// One thread for each job at a time. A thread without a job ends after ten seconds.
    static let blocking = WorkerThreads(label: "blocking", limit: .max, spare: 0, lingering: .seconds(10))

    let label: String
    private let limit: Int
    private let queue: Lock<JobQueue>
    private let ready = Lock(ReadyJobs())
    private let wakeUps = DispatchSemaphore(value: 0)
    /// Stops the poll of a worker. If it is set too late, the next poll ends early.
    private let pollIsOver = Atomic(false)
    private let lingering: DispatchTimeInterval?
    private let startThread: ThreadStarter

    /// Starts a thread that runs a closure. Returns false when the system has no thread to give.
    typealias ThreadStarter = @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    /// Makes a pool; its threads start on demand.
    /// - Parameters:
    ///   - limit: The most workers, while they do not block.
    ///   - spare: The most additional workers.
    ///   - lingering: The time for which a worker sleeps before it ends; nil means for ever.
    ///   - startThread: Tests replace it.
    init(
        label: String, limit: Int, spare: Int, lingering: DispatchTimeInterval?,
        startThread: @escaping ThreadStarter = { Platform.startThread($0) }
    ) {
        self.label = label
        self.limit = limit
        self.startThread = startThread
        queue = Lock(JobQueue(limit: limit, spare: spare, polls: Processors.usable > 1))
        self.lingering = lingering
    }

    func enqueue(_ job: any Runnable) {
        switch queue.withLock({ $0.add(job) }) {
        case .none: break
        case .poller: pollIsOver.store(true, ordering: .relaxed)
        case .sleeper: wakeUps.signal()
        case .timer: setTimer(pause: JobQueue.shortestPause)
        case .newWorker:
            // Without a new worker the job waits for a busy one, or for the next attempt.
            if !startWorker() { startFailed() }
        }
    }

    private func startWorker() -> Bool {
        startThread { self.work() }
    }

    private func startFailed() {
        let pause = queue.withLock { $0.startFailed(1) ? $0.pause : nil }
        if let pause { setTimer(pause: pause) }
    }

    /// Sets the timer, so that the timer thread looks at the jobs that wait.
    /// - Parameter pause: In nanoseconds.
    private func setTimer(pause: Int64) {
        let instant = LoopInstant(nanoseconds: Platform.monotonicNanoseconds + pause)
        _ = TimerQueue.shared.add(at: instant) { self.look() }
    }

    private func look() {
        let look = ready.withLock { ready in
            let arrivals = ready.beginRound()
            return queue.withLock { $0.look(ready: ready.jobs.count, arrivals: arrivals) }
        }
        switch look {
        case .over: break
        case .again(let pause): setTimer(pause: pause)
        case .start(let workers):
            var missing = workers
            while missing > 0, startWorker() { missing -= 1 }
            let pause = queue.withLock { [missing] queue in
                if missing > 0 { _ = queue.startFailed(missing) } else { queue.started() }
                return queue.pause
            }
            setTimer(pause: pause)
        }
    }

    /// Runs the calling job, which is on one of these threads, once more after the jobs that wait.
    ///
    /// It wakes no worker, since the calling worker looks for a job next. So a busy loop stays on its thread
    /// if no other job waits.
    /// - Precondition: The calling job must be about to return.
    func resume(_ job: any Runnable) {
        queue.withLock { $0.jobs.append(job) }
    }

    /// Returns the next action of the calling worker.
    /// - Parameter last: The round in which the worker came before.
    private func next(last: inout ReadyJobs.Round) -> JobQueue.Next {
        ready.withLock { ready in
            if ready.arrive(last: &last) > limit, queue.withLock({ $0.endSpare() }) { return .end }
            if let job = ready.jobs.popFirst() { return .run(job) }
            return queue.withLock { $0.take(all: &ready.jobs) }
        }
    }

    /// Waits for a job without sleeping: see `Poll`.
    private func poll() {
        let end = Platform.monotonicNanoseconds + Poll.nanoseconds
        repeat {
            if pollIsOver.load(ordering: .relaxed) { break }
        } while Platform.monotonicNanoseconds < end
        queue.withLock { queue in
            queue.poll.end()
            pollIsOver.store(false, ordering: .relaxed)
        }
    }

    /// Runs jobs until the worker ends.
    private func work() {
        var last = ReadyJobs.noRound
        while true {
            switch next(last: &last) {
            case .run(let job): job.run()
            case .poll: poll()
            case .end: return
            case .sleep:
                if sleepOrEnd() { return }
            }
        }
    }

    /// Sleeps until the worker is woken; returns true when it ends instead.
    private func sleepOrEnd() -> Bool {
        if let lingering {
            if wakeUps.wait(timeout: .now() + lingering) == .success { return false }
            if queue.withLock({ $0.endIdle() }) { return true }
        }
        wakeUps.wait()
        return false
    }
}
