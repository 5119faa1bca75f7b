import HostLoop

/// Passes values to `output` one at a time, though several threads emit them: those of the sources and of
/// the clock.
///
/// While a task waits for room at the end of the flow, the outlet queues the values of other threads. It
/// queues as many as the mailbox there has room for. The loop counts further values as dropped.
final class FlowOutlet<Value: Sendable>: Sendable {
    private enum Item: Sendable {
        case value(Value, FlowBranch<Value>?)
        case deferred(@Sendable () -> Value?)
        case end((any Error)?)
    }

    let output: FlowSink<Value>
    private let delivery = SerialDelivery<Item>()

    init(_ output: FlowSink<Value>) {
        self.output = output
    }

    /// Emits a value of a source.
    /// - Parameter branch: The source of the value; the outlet drops the value if the branch was replaced
    ///   before its delivery.
    @discardableResult
    func emit(_ value: Value, from branch: FlowBranch<Value>? = nil) -> EmitResult {
        let life = output.scope.life
        // The delivering thread delivers its own value first. A value that another thread delivers counts as
        // queued.
        var result: EmitResult?
        let isAdded = delivery.add(.value(value, branch), limit: life.capacity.limit) { item in
            let delivered = deliver(item)
            if result == nil { result = delivered }
        }
        guard isAdded else {
            life.countFull()
            return .full
        }
        return result ?? .queued
    }

    /// Emits the value that `take` returns when its turn comes.
    ///
    /// An operator uses it for a kept value: `take` removes that value once, even if the source completes
    /// before its turn.
    func emit(_ take: @escaping @Sendable () -> Value?) {
        delivery.add(.deferred(take)) { _ = deliver($0) }
    }

    nonisolated(nonsending) func send(
        _ value: Value, from branch: FlowBranch<Value>? = nil
    ) async -> EmitResult {
        await delivery.acquireTurn()
        let result = branch?.isReplaced == true ? .cancelled : await output.send(value)
        delivery.drain { _ = deliver($0) }
        return result
    }

    func end(_ error: (any Error)?) {
        delivery.add(.end(error)) { _ = deliver($0) }
    }

    private func deliver(_ item: Item) -> EmitResult {
        switch item {
        case .value(let value, let branch):
            return branch?.isReplaced == true ? .cancelled : output.emit(value)
        case .deferred(let take):
            return take().map { output.emit($0) } ?? .queued
        case .end(let error):
            output.end(error)
            return .queued
        }
    }
}
