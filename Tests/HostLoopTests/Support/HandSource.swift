@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies

/// A source that emits what a test says, to each subscription apart.
final class HandSource<Value: Sendable>: Sendable {
    private struct Book: Sendable {
        var sinks: [FlowSink<Value>] = []
        var cancelled: [Int] = []
    }

    private let book = Lock(Book())

    /// Does not heed its cancellation, but notes it.
    var flow: Flow<Value> {
        Flow { sink in
            let index = self.book.withLock { book in
                book.sinks.append(sink)
                return book.sinks.count - 1
            }
            sink.onCancel { self.book.withLock { $0.cancelled.append(index) } }
        }
    }

    /// Subscription number `index`, from 0.
    subscript(index: Int) -> FlowSink<Value> { book.withLock { $0.sinks[index] } }

    /// How many subscriptions there were.
    var count: Int { book.withLock { $0.sinks.count } }

    /// The subscriptions that were cancelled, in that order.
    var cancelled: [Int] { book.withLock { $0.cancelled } }

    /// Emits to the newest subscription.
    @discardableResult
    func emit(_ values: Value...) -> EmitResult {
        let sink = self[count - 1]
        var result = EmitResult.queued
        for value in values { result = sink.emit(value) }
        return result
    }

    func finish() { self[count - 1].finish() }
    func fail(_ name: String) { self[count - 1].fail(FlowFailure(name)) }
    /// Lets go of the sinks.
    func forget() { book.withLock { $0.sinks = [] } }
}
