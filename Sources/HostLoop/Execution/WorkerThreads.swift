import Dispatch
import Synchronization

/// Threads that run jobs, first in, first out: one for each processor, or one for each job that blocks.
final class WorkerThreads: ExecutorTarget {
    /// As many threads as processors, kept for the life of the process. While all of them block, up to 64
    /// others.
    static let shared = WorkerThreads(
        label: "pool", limit: Processors.usable, spare: 64, lingering: nil)

    /// A thread for each job at a time; one without a job ends after ten seconds.
    static let blocking = WorkerThreads(label: "blocking", limit: .max, spare: 0, lingering: .seconds(10))

    let label: String
    private let limit: Int
    private let queue: Lock<JobQueue>
    private let ready = Lock(ReadyJobs())
    private let wakeUps = DispatchSemaphore(value: 0)
    /// Stops the poll of a worker. When this comes late, the next poll ends early.
    private let pollIsOver = Atomic(false)
    private let lingering: DispatchTimeInterval?
    private let startThread: ThreadStarter

    /// Starts a thread that runs a closure; false when the system has none to give.
    typealias ThreadStarter = @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    /// - Parameters:
    ///   - limit: the most workers, while they do not block.
    ///   - spare: the most further workers.
    ///   - lingering: the time for which a worker sleeps before it ends; nil: for ever.
    ///   - startThread: replaced by tests.
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

    /// Has the timer thread look at the jobs that wait.
    /// - Parameter pause: in nanoseconds.
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

    /// Runs the calling job, one of these threads' own, once more after those that wait.
    ///
    /// It wakes no worker, as the calling one looks for a job next: a busy loop that is alone stays on its
    /// thread.
    /// - Precondition: the calling job is about to return.
    func resume(_ job: any Runnable) {
        queue.withLock { $0.jobs.append(job) }
    }

    /// - Parameter last: the round in which the worker came before.
    private func next(last: inout ReadyJobs.Round) -> JobQueue.Next {
        ready.withLock { ready in
            if ready.arrive(last: &last) > limit, queue.withLock({ $0.endSpare() }) { return .end }
            if let job = ready.jobs.popFirst() { return .run(job) }
            return queue.withLock { $0.take(all: &ready.jobs) }
        }
    }

    /// Waits for a job without sleeping, as `Poll` says.
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
                if sleepsInVain() { return }
            }
        }
    }

    /// Sleeps until the worker is woken; returns true when it ends instead.
    private func sleepsInVain() -> Bool {
        if let lingering {
            if wakeUps.wait(timeout: .now() + lingering) == .success { return false }
            if queue.withLock({ $0.endIdle() }) { return true }
        }
        wakeUps.wait()
        return false
    }
}
