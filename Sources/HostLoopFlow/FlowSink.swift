public import HostLoop
import Synchronization

private enum Phase {
    static let open: UInt8 = 0
    /// The source has completed.
    static let completed: UInt8 = 1
    /// The subscriber accepts no more values, but the source has not completed.
    static let closed: UInt8 = 2
}

/// The receiver of a source's values in one subscription.
///
/// A source must emit from one thread at a time. It completes at most once, with `finish` or `fail`; the
/// sink drops later values. The source must end its work when the subscription is cancelled.
// Safe because it and its subclasses have immutable properties, atomics and locks only.
public class FlowSink<Value: Sendable>: @unchecked Sendable {
    let scope: FlowScope
    private let phase = Atomic<UInt8>(Phase.open)

    init(scope: FlowScope) {
        self.scope = scope
    }

    /// Emits a value; never waits.
    /// - Returns: `.queued`, or why the value was dropped at the end of the flow. A value that an operator
    ///   removes or keeps for later counts as queued. While a task waits for room, an operator that combines
    ///   flows keeps as many values as a bounded mailbox has room for. It returns `.full` for further values.
    @discardableResult
    public final func emit(_ value: Value) -> EmitResult {
        guard phase.load(ordering: .acquiring) == Phase.open else { return .cancelled }
        return receive(value)
    }

    /// Emits a value, and waits while the mailbox of the loop at the end of the flow is full.
    ///
    /// It stays on the caller's actor. It does not suspend if there is room and no other task has its turn.
    /// - Returns: the same result as `emit`.
    @discardableResult
    public nonisolated(nonsending) final func send(_ value: Value) async -> EmitResult {
        guard phase.load(ordering: .acquiring) == Phase.open else { return .cancelled }
        return await receiveWhenRoom(value)
    }

    /// The same as `send`.
    @discardableResult
    public nonisolated(nonsending) final func callAsFunction(_ value: Value) async -> EmitResult {
        await send(value)
    }

    /// Completes the flow; repeating it does nothing.
    public final func finish() {
        end(nil)
    }

    /// Completes the flow with a failure; does nothing after another completion.
    public final func fail(_ error: any Error) {
        end(error)
    }

    /// Whether the subscriber accepts no more values.
    public var isCancelled: Bool { scope.isCancelled }

    /// Adds a handler for a cancellation before the source has completed.
    ///
    /// The thread that cancels the subscription calls `handler` once. If the subscription is cancelled
    /// already, the caller's thread calls it at once. The handler must not wait.
    public final func onCancel(_ handler: @escaping @Sendable () -> Void) {
        scope.onCancel {
            guard self.phase.load(ordering: .acquiring) != Phase.completed else { return }
            handler()
        }
    }

    /// The clock of the subscription: that of the loop at the end of the flow.
    public final var clock: any LoopClock { scope.clock }

    /// Completes the flow with or without a failure.
    final func end(_ error: (any Error)?) {
        if setPhase(to: Phase.completed) { complete(error) }
    }

    /// Rejects all further values of the source.
    /// - Returns: false if the source has completed or the sink was closed before.
    final func close() -> Bool {
        setPhase(to: Phase.closed)
    }

    private func setPhase(to last: UInt8) -> Bool {
        phase.compareExchange(expected: Phase.open, desired: last, ordering: .acquiringAndReleasing).exchanged
    }

    // MARK: - For subclasses

    func receive(_ value: Value) -> EmitResult {
        preconditionFailure("a sink must say what it does with a value")
    }

    nonisolated(nonsending) func receiveWhenRoom(_ value: Value) async -> EmitResult {
        receive(value)
    }

    /// Handles the completion of the source. The sink that made the scope must cancel it here, because an
    /// operator may have completed the flow while its source continues.
    func complete(_ error: (any Error)?) {
        preconditionFailure("a sink must say what it does at the end")
    }
}

/// The sink of an operator: receives values of one type and emits values of another type to `output`.
// Safe because it and its subclasses have immutable properties, atomics and locks only.
class FlowStage<Input: Sendable, Output: Sendable>: FlowSink<Input>, @unchecked Sendable {
    final let output: FlowSink<Output>

    /// - Parameter scope: The scope of the source; nil means the scope of `output`.
    init(_ output: FlowSink<Output>, scope: FlowScope? = nil) {
        self.output = output
        super.init(scope: scope ?? output.scope)
    }

    override final var isCancelled: Bool { scope.isCancelled || output.isCancelled }

    override func complete(_ error: (any Error)?) {
        output.end(error)
    }
}
