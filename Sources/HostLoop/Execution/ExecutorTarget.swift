import Dispatch

/// The part of a `LoopExecutor` that runs jobs, unless it is the shared pool.
protocol ExecutorTarget: AnyObject, Sendable {
    var label: String { get }

    /// Runs `job` once, later or on another thread (`CallerTarget`: at once).
    func enqueue(_ job: any Runnable)

    /// Runs the calling job once more, after other jobs. The calling job must be about to return.
    func resume(_ job: any Runnable)
}

extension ExecutorTarget {
    func resume(_ job: any Runnable) { enqueue(job) }
}

/// The main dispatch queue.
final class MainTarget: ExecutorTarget {
    let label = "main"

    func enqueue(_ job: any Runnable) {
        DispatchQueue.main.async { job.run() }
    }

    private static let mark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    /// Whether the calling thread runs a job of the main queue, or the program's start on the main thread.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }
}

/// The calling thread.
final class CallerTarget: ExecutorTarget {
    let label = "caller"

    func enqueue(_ job: any Runnable) {
        job.run()
    }
}

/// An executor of Swift's concurrency.
final class TaskTarget: ExecutorTarget {
    let label = "task"
    private let executor: any TaskExecutor

    init(executor: any TaskExecutor) {
        self.executor = executor
    }

    func enqueue(_ job: any Runnable) {
        Task.detached(executorPreference: executor) { job.run() }
    }
}

/// Runs one job at a time, in order. The target itself is the job that the threads run. Each time, it runs
/// its first job.
final class SerialTarget: ExecutorTarget, Runnable {
    private enum Hold: Sendable {
        case none
        /// With what to call once no job runs.
        case wanted(@Sendable () -> Void)
        case holds
    }

    private struct Queue {
        var jobs = FIFO<any Runnable>()
        /// The target waits for a thread, or is on one, or is held.
        var isActive = false
        var hold = Hold.none
    }

    let label: String
    private let threads: WorkerThreads
    private let queue = Lock(Queue())

    init(label: String, threads: WorkerThreads) {
        self.label = label
        self.threads = threads
    }

    func enqueue(_ job: any Runnable) {
        let wasActive = queue.withLock { queue in
            queue.jobs.append(job)
            defer { queue.isActive = true }
            return queue.isActive
        }
        if !wasActive { threads.enqueue(self) }
    }

    func run() {
        queue.withLock { queue -> (any Runnable)? in
            guard case .none = queue.hold else { return nil }
            return queue.jobs.popFirst()
        }?.run()
        let (hasMore, held) = queue.withLock { queue -> (Bool, (@Sendable () -> Void)?) in
            if case .wanted(let held) = queue.hold {
                queue.hold = .holds
                return (false, held)
            }
            queue.isActive = !queue.jobs.isEmpty
            return (queue.isActive, nil)
        }
        held?()
        if hasMore { threads.resume(self) }
    }

    /// Runs no job after the current one, until `release`.
    ///
    /// - Parameter held: called once no job runs, unless `release` comes before.
    func hold(_ held: @escaping @Sendable () -> Void) {
        let holdsNow = queue.withLock { queue in
            guard case .none = queue.hold else { preconditionFailure("the executor is held already") }
            queue.hold = queue.isActive ? .wanted(held) : .holds
            defer { queue.isActive = true }
            return !queue.isActive
        }
        if holdsNow { held() }
    }

    func release() {
        let hasMore = queue.withLock { queue in
            defer { queue.hold = .none }
            guard case .holds = queue.hold else { return false }
            queue.isActive = !queue.jobs.isEmpty
            return queue.isActive
        }
        if hasMore { threads.enqueue(self) }
    }
}

/// A job of an executor: a slice of a loop, a call of an effect, or the first job of a serial executor.
@usableFromInline
protocol Runnable: AnyObject, Sendable {
    func run()
}
