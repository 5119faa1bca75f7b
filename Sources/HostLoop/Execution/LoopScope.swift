/// The loop whose code runs here, and its executor. Bound once per slice of a loop, and once per call
/// elsewhere.
///
/// It is a task-local value, because a task that an effect starts inherits it. So the library detects a wait
/// for the end of the loop in such a task.
@usableFromInline
struct LoopScope: Sendable {
    /// The core whose reducer, effect or observer runs.
    let core: any LoopScopeCore
    /// Nil means the core's own executor, the most frequent case. A value here would count a reference that
    /// all loops share.
    let otherExecutor: LoopExecutor?
    /// The thread that bound the scope. A task that has inherited the scope runs on another executor.
    let thread: UInt
    /// The thread drains the loop; otherwise it makes a call elsewhere.
    let drains: Bool

    @TaskLocal static var current: LoopScope?

    var executor: LoopExecutor { otherExecutor ?? core.executor }

    /// Calls `body` within the scope of a loop.
    /// - Parameter executor: The executor that runs `body`, unless it is the core's own.
    @usableFromInline
    static func bind(
        core: any LoopScopeCore, executor: LoopExecutor? = nil, drains: Bool = true, _ body: () -> Void
    ) {
        $current.withValue(
            LoopScope(core: core, otherExecutor: executor, thread: currentThread(), drains: drains),
            operation: body)
    }
}

/// A loop, from the view of its scope.
@usableFromInline
protocol LoopScopeCore: AnyObject, Sendable {
    var executor: LoopExecutor { get }
}
