import Dispatch

/// What stands behind a `LoopExecutor` other than the shared pool.
// Safe because every stored property of this class and of its subclasses is immutable, or a lock.
class ExecutorTarget: @unchecked Sendable {
    let label: String

    init(label: String) {
        self.label = label
    }

    /// Runs `job` once, later or on another thread (`caller`: now).
    func enqueue(_ job: any Runnable) {
        preconditionFailure("an executor must say how it runs a job")
    }

    /// Runs the job that it runs now, and that is about to return, once more, after others.
    func resume(_ job: any Runnable) { enqueue(job) }
}

// Safe because it adds nothing.
final class BlockingTarget: ExecutorTarget, @unchecked Sendable {
    override func enqueue(_ job: any Runnable) {
        WorkerThreads.blocking.enqueue(job)
    }

    override func resume(_ job: any Runnable) {
        WorkerThreads.blocking.resume(job)
    }
}

// Safe because it adds nothing.
final class MainTarget: ExecutorTarget, @unchecked Sendable {
    override func enqueue(_ job: any Runnable) {
        DispatchQueue.main.async { job.run() }
    }
}

// Safe because it adds nothing.
final class CallerTarget: ExecutorTarget, @unchecked Sendable {
    override func enqueue(_ job: any Runnable) {
        job.run()
    }
}

// Safe because it adds immutable properties only.
final class TaskTarget: ExecutorTarget, @unchecked Sendable {
    private let executor: any TaskExecutor

    init(label: String, executor: any TaskExecutor) {
        self.executor = executor
        super.init(label: label)
    }

    override func enqueue(_ job: any Runnable) {
        Task.detached(executorPreference: executor) { job.run() }
    }
}

/// One job at a time, in order, on borrowed threads: the lane itself is the job its threads see.
// Safe because it adds immutable properties and a lock only.
final class SerialTarget: ExecutorTarget, Runnable, @unchecked Sendable {
    private struct Lane {
        var jobs = FIFO<any Runnable>()
        var isActive = false
    }

    private let threads: WorkerThreads
    private let lane = Lock(Lane())

    init(label: String, threads: WorkerThreads) {
        self.threads = threads
        super.init(label: label)
    }

    override func enqueue(_ job: any Runnable) {
        let wakes = lane.withLock { lane in
            lane.jobs.append(job)
            defer { lane.isActive = true }
            return !lane.isActive
        }
        if wakes { threads.enqueue(self) }
    }

    func run() {
        lane.withLock { $0.jobs.popFirst() }?.run()
        let more = lane.withLock { lane in
            lane.isActive = !lane.jobs.isEmpty
            return lane.isActive
        }
        if more { threads.resume(self) }
    }
}
