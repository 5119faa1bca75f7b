public import HostLoop

/// A sink that calls a function with each value.
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

    /// Makes the sink of a subscription outside of loops.
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
    /// The flow calls the functions on the thread where it emits, one call at a time. It calls neither after
    /// the subscription was cancelled or the flow has completed. A synchronous flow has emitted all its
    /// values when this returns.
    /// - Parameters:
    ///   - clock: The clock of the operators.
    ///   - receiveCompletion: Called at most once, after the last value.
    ///   - receiveValue: Called with each value.
    /// - Returns: the subscription, which is cancelled when its last reference is released.
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

    /// Subscribes to the values of the flow and ignores its completion, a failure included.
    ///
    /// The flow calls `receiveValue` on the thread where it emits, one call at a time, until the subscription
    /// is cancelled.
    /// - Returns: the subscription, which is cancelled when its last reference is released.
    public func sink(
        clock: any LoopClock = ContinuousLoopClock(), receiveValue: @escaping @Sendable (Value) -> Void
    ) -> Subscription {
        sink(clock: clock, receiveCompletion: { _ in }, receiveValue: receiveValue)
    }
}

/// The way in which a flow has completed: with or without a failure.
public enum FlowCompletion: Sendable {
    /// The flow completed without a failure.
    case finished
    /// The flow failed with this error.
    case failure(any Error)

    init(_ error: (any Error)?) {
        self = error.map { .failure($0) } ?? .finished
    }
}
