/// Where a loop, or an effect, runs.
///
/// A loop is never on two threads at once, whatever its executor: it is handed over in slices of at most
/// 1,024 steps or 1 ms.
public struct LoopExecutor: Sendable {
    /// Nil: the shared pool. Most loops are on it, and to count references to one object for all of them would have their threads
    /// contend for its count.
    private let target: (any ExecutorTarget)?

    /// A name for people and tests: "pool", "blocking", "main", "caller", "task", or the label of a serial
    /// executor.
    public var label: String { target?.label ?? "pool" }

    /// The shared pool of as many threads as the machine has cores; not Swift's cooperative pool. Its threads
    /// start on first use.
    ///
    /// Code that blocks belongs on `blocking`: it would take a core from every other loop.
    public static let pool = LoopExecutor(target: nil)

    /// Threads outside the pool, as many as there are calls at a time, for effects that block.
    public static let blocking = LoopExecutor(target: WorkerThreads.blocking)

    /// The main thread, through the main dispatch queue: the program must serve that queue.
    public static let main = LoopExecutor(target: MainTarget())

    /// Whoever emits into an idle loop runs it, on its own thread, before `emit` returns.
    ///
    /// For programs that want an event reduced when `emit` returns. An emitter that holds a lock must not use
    /// it. A loop that another thread runs already is left to that thread.
    public static let caller = LoopExecutor(target: CallerTarget())

    /// A serial executor of its own: one job at a time, in order, on threads of `pool`.
    /// - Parameter blocking: take the threads from `blocking` instead, because the jobs block.
    public static func serial(_ label: String, blocking: Bool = false) -> LoopExecutor {
        LoopExecutor(target: SerialTarget(label: label, threads: blocking ? .blocking : .shared))
    }

    /// An executor of Swift's concurrency; costs one task per slice of the loop, none per event.
    public static func task(_ executor: any TaskExecutor) -> LoopExecutor {
        LoopExecutor(target: TaskTarget(executor: executor))
    }

    /// The executor whose code the calling thread runs now; nil outside loops and effects, and in a task that
    /// an effect started.
    ///
    /// A reducer that runs before `emit` or `perform` returns may see what its caller sees.
    public static var current: LoopExecutor? {
        guard let scope = LoopScope.current, scope.thread == currentThread() else { return nil }
        return scope.executor
    }

    /// Whether the calling thread takes a loop's steps now: its reducer, its observers and the effects on its executor.
    /// Such a thread must not wait for room in a mailbox (`Run.emit(contentsOf:waiting:)`).
    public static var isLooping: Bool {
        guard let scope = LoopScope.current, scope.thread == currentThread() else { return false }
        return scope.drains
    }

    @usableFromInline var isCaller: Bool { target is CallerTarget }

    @usableFromInline
    func enqueue(_ job: any Runnable) {
        guard let target else { return WorkerThreads.shared.enqueue(job) }
        target.enqueue(job)
    }

    /// Runs the job that it runs now once more, after others; to be called last in that job.
    @usableFromInline
    func resume(_ job: any Runnable) {
        guard let target else { return WorkerThreads.shared.resume(job) }
        target.resume(job)
    }
}
