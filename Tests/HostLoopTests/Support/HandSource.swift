@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies

/// A source that emits the values of a test, to each subscription separately.
final class HandSource<Value: Sendable>: Sendable {
    private struct Contents: Sendable {
        var sinks: [FlowSink<Value>] = []
        var cancelled: [Int] = []
    }

    private let contents = Lock(Contents())

    /// The flow ignores its cancellation, but records it.
    var flow: Flow<Value> {
        Flow { sink in
            let index = self.contents.withLock { contents in
                contents.sinks.append(sink)
                return contents.sinks.count - 1
            }
            sink.onCancel { self.contents.withLock { $0.cancelled.append(index) } }
        }
    }

    /// Subscription number `index`, from 0.
    subscript(index: Int) -> FlowSink<Value> { contents.withLock { $0.sinks[index] } }

    /// The number of subscriptions so far.
    var count: Int { contents.withLock { $0.sinks.count } }

    /// The subscriptions that were cancelled, in that order.
    var cancelled: [Int] { contents.withLock { $0.cancelled } }

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
    /// Releases the sinks.
    func forget() { contents.withLock { $0.sinks = [] } }
}
