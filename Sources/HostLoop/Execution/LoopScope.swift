/// Which loop's code runs here, and on which executor; bound once per slice of a loop and per call elsewhere.
///
/// A task-local value, because a task that an effect starts inherits it: so a wait for the end of the loop
/// inside such a task is found.
@usableFromInline
struct LoopScope: Sendable {
    /// The core whose reducer, effect or observer runs.
    let core: any LoopScopeCore
    /// Nil: the core's own, as most are; to name it here would count a reference that all loops share.
    let otherExecutor: LoopExecutor?
    /// The thread that bound the scope: a task that inherited it runs on another executor.
    let thread: UInt
    /// The thread drains the loop; else it makes a call elsewhere.
    let drains: Bool

    @TaskLocal static var current: LoopScope?

    var executor: LoopExecutor { otherExecutor ?? core.executor }

    /// - Parameter executor: what `body` runs on, unless that is the core's own.
    @usableFromInline
    static func bind(
        core: any LoopScopeCore, executor: LoopExecutor? = nil, drains: Bool = true, _ body: () -> Void
    ) {
        $current.withValue(
            LoopScope(core: core, otherExecutor: executor, thread: currentThread(), drains: drains),
            operation: body)
    }
}

/// What a scope is of: a loop.
@usableFromInline
protocol LoopScopeCore: AnyObject, Sendable {
    var executor: LoopExecutor { get }
}
