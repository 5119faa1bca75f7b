/// The rules for an effect: its trigger, its strategy, its executor, and the handling of its failure.
///
/// A feedback is a value, and many spins may have it. Each loop has its own memory of it. The loop calls
/// filters, requests and effects on its executor, one at a time, in the order of declaration. `execute(on:)`
/// moves only the effect to another executor.
public struct Feedback<State: Sendable, Event: Sendable>: Sendable {
    /// The feedback's name in messages and for observers. It need not be unique.
    public var name: String
    /// The executor of the effect; nil is the loop's own executor.
    public var executor: LoopExecutor? {
        chosenExecutor.flatMap { $0.isCaller ? nil : $0 }
    }

    /// The executor of the first `execute(on:)`.
    var chosenExecutor: LoopExecutor?
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

    /// The same feedback with its effect on another executor. The effects run in the order of the starts only
    /// if that executor is serial. Of several calls the first wins: it is the innermost.
    ///
    /// A call on another executor cannot be interrupted. A cancelled call keeps the feedback busy until it
    /// returns. Meanwhile only the newest request waits (under `queue` all requests, under `always` every
    /// state). If a call is cancelled before it begins, the effect is not called. `LoopExecutor.caller` means
    /// the loop's own executor.
    public func execute(on executor: LoopExecutor) -> Feedback {
        var copy = self
        copy.chosenExecutor = chosenExecutor ?? executor
        return copy
    }

    /// Trigger and strategy as they are written in Swift.
    package var triggerText: String { policy.sourceText }

    /// The same feedback, on `executor` unless that is nil.
    @usableFromInline
    package func moved(to executor: LoopExecutor?) -> Feedback {
        executor.map { execute(on: $0) } ?? self
    }

    /// The same feedback, with a function that turns failures into events. `recover` gets the error that the
    /// effect throws, or that `Run.fail(_:)` gets. It returns an event of the failed run. If it returns nil,
    /// the failure is a fault, which observers see.
    ///
    /// `recover` is called on the thread of the failure.
    public func `catch`(_ recover: @escaping @Sendable (any Error) -> Event?) -> Feedback {
        var copy = self
        copy.recover = recover
        return copy
    }
}
