public import HostLoop

/// The end of a flow that hands its values to functions.
// Safe because it adds immutable properties only.
package final class FunctionSink<Value: Sendable>: FlowSink<Value>, @unchecked Sendable {
    private let receiveCompletion: @Sendable (FlowCompletion) -> Void
    private let receiveValue: @Sendable (Value) -> Void

    init(
        scope: FlowScope, receiveCompletion: @escaping @Sendable (FlowCompletion) -> Void,
        receiveValue: @escaping @Sendable (Value) -> Void
    ) {
        self.receiveCompletion = receiveCompletion
        self.receiveValue = receiveValue
        super.init(scope: scope)
    }

    /// The end of a subscription outside of loops.
    package convenience init(
        clock: any LoopClock = ContinuousLoopClock(),
        receiveCompletion: @escaping @Sendable (FlowCompletion) -> Void = { _ in },
        receiveValue: @escaping @Sendable (Value) -> Void
    ) {
        self.init(
            scope: FlowScope(life: FlowLife(clock: clock)), receiveCompletion: receiveCompletion,
            receiveValue: receiveValue)
    }

    /// Ends the subscription.
    package func cancel() { scope.cancel() }

    override func receive(_ value: Value) -> EmitResult {
        guard !scope.isCancelled else { return .cancelled }
        receiveValue(value)
        return .queued
    }

    override func complete(_ error: (any Error)?) {
        if !scope.isCancelled { receiveCompletion(FlowCompletion(error)) }
        scope.cancel()
    }
}

extension Flow {
    /// Subscribes to the flow.
    ///
    /// The functions are called where the flow emits, one call at a time; neither is called once the
    /// subscription was cancelled or the flow has completed. A synchronous flow has handed over everything
    /// when this returns.
    /// - Parameters:
    ///   - clock: What operators take their time from.
    ///   - receiveCompletion: Called at most once, after the last value.
    ///   - receiveValue: Called with each value.
    /// - Returns: what has to be kept for as long as values are wanted.
    public func sink(
        clock: any LoopClock = ContinuousLoopClock(),
        receiveCompletion: @escaping @Sendable (FlowCompletion) -> Void,
        receiveValue: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        let end = FunctionSink(
            clock: clock, receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        start(end)
        return Subscription { [scope = end.scope] in scope.cancel() }
    }

    /// Subscribes to the values of the flow; its end, a failure included, goes unnoticed.
    ///
    /// `receiveValue` is called where the flow emits, one call at a time, until the subscription is cancelled.
    /// - Returns: what has to be kept for as long as values are wanted.
    public func sink(
        clock: any LoopClock = ContinuousLoopClock(), receiveValue: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        sink(clock: clock, receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}
