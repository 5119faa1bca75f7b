import Dispatch
import Synchronization

/// Threads that run jobs, first in, first out: a fixed number for computation, or one for each job that blocks.
final class WorkerThreads: ExecutorTarget {
    /// As many threads as processors, kept for the life of the process.
    static let shared = WorkerThreads(label: "pool", limit: Processors.usable, lingering: nil)

    /// A thread for each job at a time; one without a job ends after ten seconds.
    static let blocking = WorkerThreads(label: "blocking", limit: .max, lingering: .seconds(10))

    let label: String
    private let queue: Lock<JobQueue>
    /// Jobs that were taken from the queue. A thread that adds a job does not meet those that take from here.
    private let ready = Lock(FIFO<any Runnable>())
    private let wakeUps = DispatchSemaphore(value: 0)
    /// Tells the polling worker of a job. When it is told late, the next poll ends early.
    private let pollIsOver = Atomic(false)
    private let lingering: DispatchTimeInterval?
    private let startThread: ThreadStarter

    /// Starts a thread that runs a closure; false when the system has none to give.
    typealias ThreadStarter = @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    /// - Parameters:
    ///   - limit: the most workers.
    ///   - lingering: the time for which a worker sleeps before it ends; nil: for ever.
    ///   - startThread: replaced by tests.
    init(
        label: String, limit: Int, lingering: DispatchTimeInterval?,
        startThread: @escaping ThreadStarter = { Platform.startThread($0) }
    ) {
        self.label = label
        self.startThread = startThread
        queue = Lock(JobQueue(limit: limit, polls: Processors.usable > 1))
        self.lingering = lingering
    }

    func enqueue(_ job: any Runnable) {
        switch queue.withLock({ $0.add(job) }) {
        case .none: break
        case .poller: pollIsOver.store(true, ordering: .relaxed)
        case .sleeper: wakeUps.signal()
        case .newWorker:
            // Without a new worker the job waits for a busy one, or for the next attempt.
            if !startWorker(), queue.withLock({ $0.startFailed(1) }) { setTimer() }
        }
    }

    private func startWorker() -> Bool {
        startThread { self.work() }
    }

    /// Has the timer thread look at the jobs that wait after a pause.
    private func setTimer() {
        let pause = queue.withLock { $0.pause }
        let instant = LoopInstant(nanoseconds: Platform.monotonicNanoseconds + pause)
        _ = TimerQueue.shared.add(at: instant) { self.look() }
    }

    private func look() {
        let look = ready.withLock { ready in queue.withLock { $0.look(ready: ready.count) } }
        guard case .start(let workers) = look else { return }
        var missing = workers
        while missing > 0, startWorker() { missing -= 1 }
        queue.withLock { [missing] queue in
            if missing > 0 { _ = queue.startFailed(missing) } else { queue.started() }
        }
        setTimer()
    }

    /// Runs the calling job, one of these threads' own, once more after those that wait.
    ///
    /// It wakes no worker, as the calling one looks for a job next: a busy loop that is alone stays on its thread.
    /// - Precondition: the calling job is about to return.
    func resume(_ job: any Runnable) {
        queue.withLock { $0.jobs.append(job) }
    }

    private func next() -> JobQueue.Next {
        ready.withLock { ready in
            if let job = ready.popFirst() { return .run(job) }
            return queue.withLock { $0.take(all: &ready) }
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
        while true {
            switch next() {
            case .run(let job): job.run()
            case .poll: poll()
            case .sleep:
                if sleepsInVain() { return }
            }
        }
    }

    /// Sleeps until the worker is woken; returns true when it ends instead.
    private func sleepsInVain() -> Bool {
        if let lingering {
            if wakeUps.wait(timeout: .now() + lingering) == .success { return false }
            if queue.withLock({ $0.leave() }) { return true }
        }
        wakeUps.wait()
        return false
    }
}
