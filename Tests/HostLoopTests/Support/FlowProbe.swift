@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import HostLoopTesting

/// Subscribes to a flow and records its values.
final class FlowProbe<Value: Sendable>: Sendable {
    private struct Contents: Sendable {
        var lines: [String] = []
        var values: [Value] = []
        var isOver = false
        var waiters: [@Sendable () -> Void] = []
    }

    private let contents = Lock(Contents())
    private let subscription = Lock<Subscription?>(nil)

    /// - Parameter hook: Called with each value after it was recorded.
    init(
        _ flow: Flow<Value>, clock: any LoopClock = ManualClock(),
        hook: @escaping @Sendable (FlowProbe, Value) -> Void = { _, _ in }
    ) {
        let subscription = flow.sink(clock: clock) { [weak self] completion in
            self?.end(completion)
        } receiveValue: { [weak self] value in
            guard let self else { return }
            contents.withLock {
                $0.values.append(value)
                $0.lines.append("\(value)")
            }
            hook(self, value)
        }
        self.subscription.exchange(subscription)
    }

    var values: [Value] { contents.withLock { $0.values } }
    /// The values, and at the end "finished" or "failed: …".
    var lines: [String] { contents.withLock { $0.lines } }

    func cancel() { subscription.exchange(nil)?.cancel() }

    /// Waits until the flow has completed.
    func end() async {
        await withCheckedContinuation { continuation in
            let isOver = contents.withLock { contents in
                if !contents.isOver { contents.waiters.append { continuation.resume() } }
                return contents.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    private func end(_ completion: FlowCompletion) {
        let waiters = contents.withLock { contents in
            switch completion {
            case .finished: contents.lines.append("finished")
            case .failure(let error): contents.lines.append("failed: \(error)")
            }
            contents.isOver = true
            defer { contents.waiters = [] }
            return contents.waiters
        }
        for resume in waiters { resume() }
    }
}

/// A failure with a name.
struct FlowFailure: Error, Equatable, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
