@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import HostLoopTesting

/// Subscribes to a flow and writes down what it hands over.
final class FlowProbe<Value: Sendable>: Sendable {
    private struct Book: Sendable {
        var lines: [String] = []
        var values: [Value] = []
        var isOver = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let book = Lock(Book())
    private let subscription = Lock<Subscription?>(nil)

    /// - Parameter hook: called with each value after it was written down.
    init(
        _ flow: Flow<Value>, clock: any LoopClock = ManualClock(),
        hook: @escaping @Sendable (FlowProbe, Value) -> Void = { _, _ in }
    ) {
        let subscription = flow.sink(clock: clock) { [weak self] completion in
            self?.end(completion)
        } receiveValue: { [weak self] value in
            guard let self else { return }
            book.withLock {
                $0.values.append(value)
                $0.lines.append("\(value)")
            }
            hook(self, value)
        }
        self.subscription.exchange(subscription)
    }

    var values: [Value] { book.withLock { $0.values } }
    /// The values, and at the end "finished" or "failed: …".
    var lines: [String] { book.withLock { $0.lines } }

    func cancel() { subscription.exchange(nil)?.cancel() }

    /// Waits until the flow has completed.
    func end() async {
        await withCheckedContinuation { continuation in
            let isOver = book.withLock { book in
                if !book.isOver { book.waiters.append { continuation.resume() } }
                return book.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    private func end(_ completion: FlowCompletion) {
        let waiters = book.withLock { book in
            switch completion {
            case .finished: book.lines.append("finished")
            case .failure(let error): book.lines.append("failed: \(error)")
            }
            book.isOver = true
            defer { book.waiters = [] }
            return book.waiters
        }
        for resume in waiters { resume() }
    }
}

/// A failure with a name.
struct FlowFailure: Error, Equatable, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
