public import HostLoop
import Synchronization

private enum Phase {
    static let open: UInt8 = 0
    /// The source has completed.
    static let completed: UInt8 = 1
    /// The subscriber wants no more, though the source has not completed.
    static let closed: UInt8 = 2
}

/// Where the source of a flow puts its values: one subscription as the source sees it.
///
/// A source emits from one thread at a time and completes at most once, with `finish` or `fail`; what it
/// emits afterwards is dropped. It ends its work when the subscription is cancelled.
// Safe because it and its subclasses have immutable properties, atomics and locks only.
public class FlowSink<Value: Sendable>: @unchecked Sendable {
    let scope: FlowScope
    private let phase = Atomic<UInt8>(Phase.open)

    init(scope: FlowScope) {
        self.scope = scope
    }

    /// Hands over a value; never waits.
    /// - Returns: what became of it at the end of the flow: `.queued`, or why it was dropped. A value that an operator leaves
    ///   out, or keeps for later, counts as queued. While a task waits for room, an operator that brings flows together keeps
    ///   as many values as a bounded mailbox has room for, and answers `.full` to others.
    @discardableResult
    public final func emit(_ value: Value) -> EmitResult {
        guard phase.load(ordering: .acquiring) == Phase.open else { return .cancelled }
        return receive(value)
    }

    /// Hands over a value, and waits while the mailbox of the loop at the end of the flow is full. Stays on the caller's actor,
    /// and does not suspend while there is room and no other task has its turn.
    /// - Returns: what became of it, as with `emit`.
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

    /// Whether nobody wants any more values.
    public var isCancelled: Bool { scope.isCancelled }

    /// Calls `handler` once when the subscription is cancelled before the source has completed, on the thread
    /// that cancels it; at once if it is already. It must not wait.
    public final func onCancel(_ handler: @escaping @Sendable () -> Void) {
        scope.onCancel {
            guard self.phase.load(ordering: .acquiring) != Phase.completed else { return }
            handler()
        }
    }

    /// What the subscription takes its time from: the clock of the loop at the end of the flow.
    public final var clock: any LoopClock { scope.clock }

    /// Completes the flow with or without a failure.
    final func end(_ error: (any Error)?) {
        if leave(for: Phase.completed) { complete(error) }
    }

    /// Takes nothing more from the source; false if it has completed, or was closed before.
    final func close() -> Bool {
        leave(for: Phase.closed)
    }

    private func leave(for last: UInt8) -> Bool {
        phase.compareExchange(expected: Phase.open, desired: last, ordering: .acquiringAndReleasing).exchanged
    }

    // MARK: - What a subscriber does

    func receive(_ value: Value) -> EmitResult {
        preconditionFailure("a sink must say what it does with a value")
    }

    nonisolated(nonsending) func receiveWhenRoom(_ value: Value) async -> EmitResult {
        receive(value)
    }

    /// The source has completed. Whoever made the scope cancels it now: an operator between may have ended
    /// the flow while its source goes on.
    func complete(_ error: (any Error)?) {
        preconditionFailure("a sink must say what it does at the end")
    }
}
