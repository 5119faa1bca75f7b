/// The threads on which a loop or an effect runs.
///
/// No executor runs a loop on two threads at once. It runs the loop in slices of at most 1,024 steps or 1 ms,
/// one after another.
public struct LoopExecutor: Sendable {
    /// Nil means the shared pool, which most loops use. If they all counted references to one object, their
    /// threads would contend for its count.
    private let target: (any ExecutorTarget)?

    /// A name for people and tests: "pool", "blocking", "main", "caller", "task", or the label of a serial
    /// executor.
    public var label: String { target?.label ?? "pool" }

    /// The shared pool, the default. It is not Swift's cooperative pool. Its threads start on first use.
    ///
    /// It has one thread for each processor that this process may use. On Linux this number depends on the
    /// affinity of the thread that uses the pool first, and on the quotas of control groups, rounded up.
    ///
    /// Effects that block belong on `blocking`: on the pool, each of them keeps a thread from all other
    /// loops. Effects that block all threads do not stop the other loops for ever. When jobs wait and no
    /// thread takes one, the pool starts a spare thread after 10 to 15 ms, and up to 64 of them one after
    /// another. Spare threads end when the others return. The pool treats an effect that computes for that
    /// long like one that blocks.
    ///
    /// When the system has no thread to give, the pool tries again until it gets one: with each new job, and
    /// after pauses of 5 ms to 1.28 s.
    public static let pool = LoopExecutor(target: nil)

    /// Threads outside the pool for effects that block: one for each call at a time, without a limit of its
    /// own.
    ///
    /// A thread without a job ends after ten seconds. When the system has no thread to give, a call waits
    /// until there is one. The executor tries again as `pool` does.
    public static let blocking = LoopExecutor(target: WorkerThreads.blocking)

    /// The main thread, through the main dispatch queue: the program must serve that queue.
    public static let main = LoopExecutor(target: MainTarget())

    /// The thread that emits into an idle loop: it runs the loop before `emit` returns.
    ///
    /// It is for programs in which `emit` must return after the event is reduced. An emitter that holds a
    /// lock must not use it. When another thread runs the loop already, that thread takes the event.
    public static let caller = LoopExecutor(target: CallerTarget())

    /// A serial executor of its own: one job at a time, in order, on threads of `pool`.
    /// - Parameter blocking: Whether the threads come from `blocking` instead, because the jobs block.
    public static func serial(_ label: String, blocking: Bool = false) -> LoopExecutor {
        LoopExecutor(target: SerialTarget(label: label, threads: blocking ? .blocking : .shared))
    }

    /// An executor of Swift's concurrency. It costs one task per slice of the loop, none per event.
    public static func task(_ executor: any TaskExecutor) -> LoopExecutor {
        LoopExecutor(target: TaskTarget(executor: executor))
    }

    /// The executor of the code that the calling thread runs now. It is nil outside loops and effects, and in
    /// a task that an effect has started.
    ///
    /// A reducer that runs before `emit` or `perform` returns may see the executor of its caller.
    public static var current: LoopExecutor? {
        guard let scope = LoopScope.current, scope.thread == currentThread() else { return nil }
        return scope.executor
    }

    /// Whether the calling thread executes a loop's steps now: its reducer, its observers and the effects on
    /// its executor. Such a thread must not wait for room in a mailbox (`Run.emit(contentsOf:waiting:)`).
    public static var isLooping: Bool {
        guard let scope = LoopScope.current, scope.thread == currentThread() else { return false }
        return scope.drains
    }

    /// Calls `body` once on this executor: later or on another thread, on `caller` before this returns. `current` is
    /// this executor then.
    public func run(_ body: @escaping @Sendable () -> Void) {
        enqueue(FunctionJob(executor: self, body: body))
    }

    /// Has a serial executor run no job after the current one, until `release`. Jobs may still be added.
    ///
    /// - Parameter held: called once no job runs: at once, or on the thread of the last one. It is not called when
    ///   `release` comes before.
    package func hold(_ held: @escaping @Sendable () -> Void) { serial.hold(held) }

    /// Ends one `hold`.
    package func release() { serial.release() }

    private var serial: SerialTarget {
        guard let serial = target as? SerialTarget else {
            preconditionFailure("only a serial executor is held")
        }
        return serial
    }

    /// Whether the caller's code is isolated to the main actor at run time.
    package static var isOnMain: Bool { MainTarget.isCurrent }

    @usableFromInline package var isCaller: Bool { target is CallerTarget }

    @usableFromInline
    func enqueue(_ job: any Runnable) {
        guard let target else { return WorkerThreads.shared.enqueue(job) }
        target.enqueue(job)
    }

    /// Runs the calling job once more, after other jobs. The job must call this last.
    @usableFromInline
    func resume(_ job: any Runnable) {
        guard let target else { return WorkerThreads.shared.resume(job) }
        target.resume(job)
    }
}

/// A function as a job.
private final class FunctionJob: Runnable, LoopScopeCore {
    let executor: LoopExecutor
    private let body: @Sendable () -> Void

    init(executor: LoopExecutor, body: @escaping @Sendable () -> Void) {
        self.executor = executor
        self.body = body
    }

    func run() {
        LoopScope.bind(core: self, drains: false, body)
    }
}
