import HostLoop

/// Hands values to `output` one at a time, though they come from several threads: the source's, other
/// sources', the clock's.
///
/// While a task waits for room at the end of the flow, the outlet keeps as many values of others as the mailbox there has room
/// for. The loop counts further values as dropped.
final class FlowOutlet<Value: Sendable>: Sendable {
    private enum Item: Sendable {
        case value(Value, FlowBranch<Value>?)
        case kept(@Sendable () -> Value?)
        case end((any Error)?)
    }

    let output: FlowSink<Value>
    private let delivery = SerialDelivery<Item>()

    init(_ output: FlowSink<Value>) {
        self.output = output
    }

    /// - Parameter branch: whose value it is; dropped when that was replaced meanwhile.
    @discardableResult
    func emit(_ value: Value, from branch: FlowBranch<Value>? = nil) -> EmitResult {
        let life = output.scope.life
        // The thread that delivers begins with its own value; a value that another thread delivers counts as queued.
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

    /// Hands over what `take` answers when its turn comes: so a value that is kept for later is taken once, and not lost
    /// when the end comes in between.
    func emit(_ take: @escaping @Sendable () -> Value?) {
        delivery.add(.kept(take)) { _ = deliver($0) }
    }

    nonisolated(nonsending) func send(
        _ value: Value, from branch: FlowBranch<Value>? = nil
    ) async -> EmitResult {
        await delivery.takeTurn()
        let result = branch?.isReplaced == true ? .cancelled : await output.send(value)
        delivery.pass { _ = deliver($0) }
        return result
    }

    func end(_ error: (any Error)?) {
        delivery.add(.end(error)) { _ = deliver($0) }
    }

    private func deliver(_ item: Item) -> EmitResult {
        switch item {
        case .value(let value, let branch):
            return branch?.isReplaced == true ? .cancelled : output.emit(value)
        case .kept(let take):
            return take().map { output.emit($0) } ?? .queued
        case .end(let error):
            output.end(error)
            return .queued
        }
    }
}
