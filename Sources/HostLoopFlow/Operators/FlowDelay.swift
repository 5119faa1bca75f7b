import HostLoop

/// The sink of `delay`: what is on its way, and a timer set to the first of it.
// Safe because it adds immutable properties and a lock only.
final class FlowDelay<Value: Sendable>: FlowStage<Value, Value>, @unchecked Sendable {
    private enum Item: Sendable {
        case value(Value)
        case end((any Error)?)
    }

    private struct Road: Sendable {
        var items = FIFO<(instant: LoopInstant, item: Item)>()
        /// The timer is set, or its action hands over what is due.
        var isBusy = false
    }

    private let duration: Duration
    private let timer: FlowTimer
    private let road = Lock(Road())

    init(_ output: FlowSink<Value>, by duration: Duration) {
        self.duration = duration
        timer = FlowTimer(output.scope)
        super.init(output, scope: output.scope.within())
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
        let sets = road.withLock { road in
            road.items.append((instant, item))
            defer { road.isBusy = true }
            return !road.isBusy
        }
        if sets { set(at: instant) }
    }

    private func set(at instant: LoopInstant) {
        timer.set(at: instant) { self.handOver() }
    }

    private func handOver() {
        while true {
            let now = clock.now
            let (item, next) = road.withLock { road -> (Item?, LoopInstant?) in
                guard let first = road.items.first else {
                    road.isBusy = false
                    return (nil, nil)
                }
                return first.instant <= now ? (road.items.popFirst()?.item, nil) : (nil, first.instant)
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
