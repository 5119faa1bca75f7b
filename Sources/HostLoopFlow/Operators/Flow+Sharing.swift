import HostLoop

extension Flow {
    /// A flow with one subscription to this flow for all its subscribers.
    ///
    /// The first subscriber starts the source, with its clock. The end of the last one cancels the source. After
    /// that, or after the source has completed, the next subscriber starts it anew. A subscriber gets one value at
    /// a time, in order.
    /// - Parameter replaying: How many of the newest values a later subscriber gets first.
    public func share(replaying: Int = 0) -> Flow {
        let shared = SharedFlow(self, replaying: replaying)
        return Flow { shared.subscribe($0) }
    }
}

/// The subscribers of `share` and their one subscription to the source.
private final class SharedFlow<Value: Sendable>: Sendable {
    private enum Item: Sendable {
        case value(Value)
        case end((any Error)?)
    }

    /// The time from the first subscriber until the last one leaves, or the source completes.
    private final class Round: Sendable {
        let gear: Gear<Item>
        /// Set before the subscribers get the completion.
        let end = Lock<Item?>(nil)
        let source = Lock<FunctionSink<Value>?>(nil)

        init(replaying: Int) { gear = Gear(replaying: replaying) }
    }

    private struct Status: Sendable {
        var round: Round?
        var subscribers = 0
    }

    private let source: Flow<Value>
    private let replaying: Int
    private let status = Lock(Status())

    init(_ source: Flow<Value>, replaying: Int) {
        self.source = source
        self.replaying = replaying
    }

    func subscribe(_ sink: FlowSink<Value>) {
        let (round, isFirst) = status.withLock { status in
            if let round = status.round {
                status.subscribers += 1
                return (round, false)
            }
            let round = Round(replaying: replaying)
            status = Status(round: round, subscribers: 1)
            return (round, true)
        }
        round.gear.attach(
            limit: nil,
            onCancel: { detach in
                sink.onCancel {
                    detach()
                    self.leave(round)
                }
            },
            schedule: { gear, ticket in
                while gear.deliver(to: ticket, { Self.deliver($0, to: sink) }) {}
            })
        // A round that has ended before the attachment has no completion for this subscriber.
        if let end = round.end.withLock({ $0 }) { _ = Self.deliver(end, to: sink) }
        if isFirst { start(round, sink.clock) }
    }

    private func start(_ round: Round, _ clock: any LoopClock) {
        let end = FunctionSink<Value>(clock: clock) { [weak self, weak round] completion in
            guard let round else { return }
            switch completion {
            case .finished: self?.complete(round, nil)
            case .failure(let error): self?.complete(round, error)
            }
        } receiveValue: { [weak round] value in
            round?.gear.propagate(event: .value(value))
        }
        round.source.exchange(end)
        // The subscriber may have been cancelled meanwhile.
        guard status.withLock({ $0.round === round }) else { return end.cancel() }
        source.start(end)
    }

    private static func deliver(_ item: Item, to sink: FlowSink<Value>) -> EmitResult {
        switch item {
        case .value(let value): return sink.emit(value)
        case .end(let error):
            sink.end(error)
            return .queued
        }
    }

    private func complete(_ round: Round, _ error: (any Error)?) {
        status.withLock { if $0.round === round { $0 = Status() } }
        round.end.exchange(.end(error))
        round.gear.propagate(event: .end(error))
    }

    private func leave(_ round: Round) {
        let isLast = status.withLock { status in
            guard status.round === round else { return false }
            status.subscribers -= 1
            if status.subscribers == 0 { status.round = nil }
            return status.subscribers == 0
        }
        if isLast { round.source.withLock { $0 }?.cancel() }
    }
}
