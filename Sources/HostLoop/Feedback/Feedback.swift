/// When an effect runs, under which strategy, where, and what becomes of its failure.
///
/// A feedback is a value and may be given to many spins; what it remembers belongs to each loop apart.
/// Filters, requests and effects are called on the loop's executor, one at a time, in the order of
/// declaration; `execute(on:)` puts the effect alone on another one.
public struct Feedback<State: Sendable, Event: Sendable>: Sendable {
    /// What messages and observers call it; need not be unique.
    public var name: String
    /// Where the effect runs; nil is the loop's own executor.
    public internal(set) var executor: LoopExecutor?

    @usableFromInline let policy: RunPolicy
    @usableFromInline let makeMemory: @Sendable () -> FeedbackMemory<State, Event>
    @usableFromInline var recover: (@Sendable (any Error) -> Event?)?

    @usableFromInline
    init(
        _ name: String, policy: RunPolicy, makeMemory: @escaping @Sendable () -> FeedbackMemory<State, Event>
    ) {
        self.name = name
        self.policy = policy
        self.makeMemory = makeMemory
    }

    /// The same feedback with its effect on another executor, in the order of the starts only if that is
    /// serial.
    ///
    /// A call there cannot be interrupted: one that was cancelled keeps the feedback's place until it
    /// returns, and meanwhile only the newest request waits (under `queue` all, under `always` every state).
    /// One that was cancelled before it began is not made.
    /// `LoopExecutor.caller` means the loop's own executor.
    public func execute(on executor: LoopExecutor) -> Feedback {
        var copy = self
        copy.executor = executor.isCaller ? nil : executor
        return copy
    }

    /// Trigger and strategy as they are written in Swift.
    package var triggerText: String { policy.sourceText }

    /// The same feedback, on another executor if there is one.
    @usableFromInline
    package func moved(to executor: LoopExecutor?) -> Feedback {
        executor.map { execute(on: $0) } ?? self
    }

    /// The same feedback, with `recover` turning what the effect throws, or `Run.fail(_:)` is given, into an
    /// event of the failed run. For nil the failure is a fault that observers are told.
    ///
    /// `recover` is called where the failure happened.
    public func `catch`(_ recover: @escaping @Sendable (any Error) -> Event?) -> Feedback {
        var copy = self
        copy.recover = recover
        return copy
    }
}
