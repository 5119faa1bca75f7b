import HostLoop

/// The sink of `delay`: a queue of delayed values, and a timer for the first of them.
// Safe because it adds immutable properties and a lock only.
final class FlowDelay<Value: Sendable>: FlowStage<Value, Value>, @unchecked Sendable {
    private enum Item: Sendable {
        case value(Value)
        case end((any Error)?)
    }

    private struct Buffer: Sendable {
        var items = FIFO<(instant: LoopInstant, item: Item)>()
        /// The timer is set, or its action emits the due items.
        var isBusy = false
    }

    private let duration: Duration
    private let timer: FlowTimer
    private let buffer = Lock(Buffer())

    init(_ output: FlowSink<Value>, by duration: Duration) {
        self.duration = duration
        timer = FlowTimer(output.scope)
        super.init(output, scope: output.scope.makeChild())
    }

    override func receive(_ value: Value) -> EmitResult {
        guard !isCancelled else { return .cancelled }
        add(.value(value))
        return .queued
    }

    override func complete(_ error: (any Error)?) {
        scope.cancel()
        add(.end(error))
    }

    private func add(_ item: Item) {
        let instant = clock.now.advanced(by: duration)
        let sets = buffer.withLock { buffer in
            buffer.items.append((instant, item))
            defer { buffer.isBusy = true }
            return !buffer.isBusy
        }
        if sets { set(at: instant) }
    }

    private func set(at instant: LoopInstant) {
        timer.set(at: instant) { self.emitDue() }
    }

    private func emitDue() {
        while true {
            let now = clock.now
            let (item, next) = buffer.withLock { buffer -> (Item?, LoopInstant?) in
                guard let first = buffer.items.first else {
                    buffer.isBusy = false
                    return (nil, nil)
                }
                return first.instant <= now ? (buffer.items.popFirst()?.item, nil) : (nil, first.instant)
            }
            switch item {
            case .value(let value): output.emit(value)
            case .end(let error): output.end(error)
            case nil:
                if let next { set(at: next) }
                return
            }
        }
    }
}
