public import HostLoop

/// Operators that choose where a flow runs.
extension Flow {
    /// The same flow, which delivers its values and its completion on an executor, one at a time and in order.
    ///
    /// Values wait until the executor takes them. If the flow ends in a bounded mailbox, as many values wait as
    /// that mailbox holds; the loop counts further ones as dropped, and `emit` returns `.full` for them. `send`
    /// does not wait beyond this operator. `LoopExecutor.caller` means the emitting thread: it changes nothing.
    public func receive(on executor: LoopExecutor) -> Flow {
        guard !executor.isCaller else { return self }
        return Flow { start(FlowDelivery($0, on: executor)) }
    }

    /// The same flow, whose source starts on an executor. A subscription that is cancelled before that starts no
    /// source.
    public func subscribe(on executor: LoopExecutor) -> Flow {
        Flow { sink in executor.run { start(sink) } }
    }
}

/// The sink of `receive(on:)` and `onMain`.
// Safe because it adds an immutable property only.
final class FlowDelivery<Value: Sendable>: FlowStage<Value, Value>, @unchecked Sendable {
    private enum Item: Sendable {
        case value(Value)
        case end((any Error)?)
    }

    private let queue: ExecutorQueue<Item>

    /// - Parameter isAtOnce: See `ExecutorQueue`.
    init(_ output: FlowSink<Value>, on executor: LoopExecutor, isAtOnce: Bool = false) {
        queue = ExecutorQueue(on: executor, isAtOnce: isAtOnce) { item in
            switch item {
            case .value(let value): if !output.isCancelled { output.emit(value) }
            case .end(let error): output.end(error)
            }
        }
        super.init(output)
    }

    override func receive(_ value: Value) -> EmitResult {
        guard !isCancelled else { return .cancelled }
        guard queue.add(.value(value), limit: scope.life.capacity.limit) else {
            scope.life.countFull()
            return .full
        }
        return .queued
    }

    override func complete(_ error: (any Error)?) {
        queue.add(.end(error))
    }
}
