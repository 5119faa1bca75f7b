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

/// The sink of `receive(on:)`.
// Safe because it adds immutable properties and a lock only.
private final class FlowDelivery<Value: Sendable>: FlowStage<Value, Value>, @unchecked Sendable {
    private enum Item: Sendable {
        case value(Value)
        case end((any Error)?)
    }

    private struct Queue: Sendable {
        var items = FIFO<Item>()
        /// A job of the executor is asked for or runs.
        var isScheduled = false
    }

    private let executor: LoopExecutor
    private let queue = Lock(Queue())

    init(_ output: FlowSink<Value>, on executor: LoopExecutor) {
        self.executor = executor
        super.init(output)
    }

    override func receive(_ value: Value) -> EmitResult {
        guard !isCancelled else { return .cancelled }
        guard add(.value(value), limit: scope.life.capacity.limit) else {
            scope.life.countFull()
            return .full
        }
        return .queued
    }

    override func complete(_ error: (any Error)?) {
        _ = add(.end(error), limit: nil)
    }

    private func add(_ item: Item, limit: Int?) -> Bool {
        let (isAdded, schedules) = queue.withLock { queue in
            if let limit, queue.items.count >= limit { return (false, false) }
            queue.items.append(item)
            defer { queue.isScheduled = true }
            return (true, !queue.isScheduled)
        }
        if schedules { executor.run { self.deliver() } }
        return isAdded
    }

    /// Delivers the items of this moment. Later ones get another job, as the executor has other work.
    private func deliver() {
        var items = queue.withLock { queue in
            defer { queue.items = FIFO() }
            return queue.items
        }
        while let item = items.popFirst() {
            switch item {
            case .value(let value): if !isCancelled { output.emit(value) }
            case .end(let error): output.end(error)
            }
        }
        let hasMore = queue.withLock { queue in
            queue.isScheduled = !queue.items.isEmpty
            return queue.isScheduled
        }
        if hasMore { executor.run { self.deliver() } }
    }
}
