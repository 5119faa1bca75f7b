/// Where the source of a flow puts its values: one subscription as the source sees it.
///
/// A source emits from one thread at a time, completes at most once, with `finish` or `fail`, and emits
/// nothing afterwards. It ends its work when the subscription is cancelled; what it emits then is dropped.
// Safe because subclasses add immutable properties, atomics and locks only.
public class FlowSink<Value: Sendable>: @unchecked Sendable {
    let scope: FlowScope

    init(scope: FlowScope) {
        self.scope = scope
    }

    /// Hands over a value; never waits.
    /// - Returns: what became of it at the end of the flow: `.queued`, or why it was dropped.
    @discardableResult
    public final func emit(_ value: Value) -> EmitResult {
        receive(value)
    }

    /// Hands over a value, and waits while the mailbox of the loop at the end of the flow is full.
    /// - Returns: what became of it at the end of the flow: `.queued`, or why it was dropped.
    @discardableResult
    public final func send(_ value: Value) async -> EmitResult {
        await receiveWhenRoom(value)
    }

    /// The same as `send`.
    @discardableResult
    public final func callAsFunction(_ value: Value) async -> EmitResult {
        await receiveWhenRoom(value)
    }

    /// Completes the flow.
    public final func finish() {
        complete(nil)
    }

    /// Completes the flow with a failure.
    public final func fail(_ error: any Error) {
        complete(error)
    }

    /// Whether nobody wants any more values.
    public var isCancelled: Bool { scope.isCancelled }

    /// Calls `handler` once when the subscription is cancelled, on the thread that cancels it; at once if it
    /// is already. It must not wait.
    public final func onCancel(_ handler: @escaping @Sendable () -> Void) {
        scope.onCancel(handler)
    }

    /// What the subscription takes its time from: the clock of the loop at the end of the flow.
    public final var clock: any LoopClock { scope.clock }

    // MARK: - What a subscriber does

    func receive(_ value: Value) -> EmitResult {
        preconditionFailure("a sink must say what it does with a value")
    }

    func receiveWhenRoom(_ value: Value) async -> EmitResult {
        receive(value)
    }

    func complete(_ error: (any Error)?) {
        preconditionFailure("a sink must say what it does at the end")
    }
}
