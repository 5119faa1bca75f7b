import HostLoop

/// A hot source: hands each value to everyone who is subscribed at that moment, in order of subscription.
///
/// Values come from any thread and are handed over one at a time; one that comes within a delivery waits for
/// its end. With a replayed value, who subscribes gets that first.
package final class FlowHub<Value: Sendable>: Sendable {
    private enum Item: Sendable {
        case value(Value)
        case subscribe(FlowSink<Value>)
        case finish
    }

    private struct Book: Sendable {
        var issued: UInt64 = 0
        var sinks: [(ticket: UInt64, sink: FlowSink<Value>)] = []
        var latest: Value?
        /// The newest value that was handed over: newer ones are still to come for everyone.
        var delivered: Value?
        var isFinished = false
    }

    private let replays: Bool
    private let book: Lock<Book>
    private let delivery = SerialDelivery<Item>()

    /// - Parameter replaying: whether who subscribes gets the newest value first.
    package init(latest: Value? = nil, replaying: Bool = false) {
        replays = replaying
        book = Lock(Book(latest: latest, delivered: latest))
    }

    /// The newest value, if they are replayed and there was one.
    package var latest: Value? { book.withLock { $0.latest } }

    /// What is handed over from the subscription on; completes with the hub.
    package var flow: Flow<Value> {
        Flow { sink in self.delivery.add(.subscribe(sink)) { self.deliver($0) } }
    }

    package func push(_ value: Value) {
        if replays {
            // What was there is released outside the lock, here and below.
            let before = book.withLock { book in
                defer { book.latest = value }
                return book.latest
            }
            withExtendedLifetime(before) {}
        }
        delivery.add(.value(value)) { deliver($0) }
    }

    package func finish() {
        delivery.add(.finish) { deliver($0) }
    }

    private func deliver(_ item: Item) {
        switch item {
        case .value(let value):
            let (sinks, before) = book.withLock {
                book -> ([(ticket: UInt64, sink: FlowSink<Value>)], Value?) in
                guard replays, !book.isFinished else { return (book.sinks, nil) }
                defer { book.delivered = value }
                return (book.sinks, book.delivered)
            }
            withExtendedLifetime(before) {}
            for (_, sink) in sinks where !sink.isCancelled { sink.emit(value) }
        case .subscribe(let sink): subscribe(sink)
        case .finish:
            let sinks = book.withLock { book in
                book.isFinished = true
                defer { book.sinks = [] }
                return book.sinks
            }
            for (_, sink) in sinks { sink.finish() }
        }
    }

    private func subscribe(_ sink: FlowSink<Value>) {
        let (ticket, latest, isFinished) = book.withLock { book in
            book.issued += 1
            if !book.isFinished { book.sinks.append((book.issued, sink)) }
            return (book.issued, book.delivered, book.isFinished)
        }
        sink.onCancel { [weak self] in self?.remove(ticket) }
        if let latest { sink.emit(latest) }
        if isFinished { sink.finish() }
    }

    private func remove(_ ticket: UInt64) {
        let removed = book.withLock { book in
            let removed = book.sinks.filter { $0.ticket == ticket }
            book.sinks.removeAll { $0.ticket == ticket }
            return removed
        }
        withExtendedLifetime(removed) {}
    }
}
