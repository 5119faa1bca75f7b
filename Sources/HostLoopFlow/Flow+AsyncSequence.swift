import HostLoop

/// The buffer of an iteration: values that the iterator has not returned yet.
// Safe because it adds a lock only.
private final class FlowBuffer<Value: Sendable>: FlowSink<Value>, @unchecked Sendable {
    private typealias Waiter = CheckedContinuation<Value?, any Error>

    private struct Store: Sendable {
        var values = FIFO<Value>()
        var end: FlowCompletion?
        var waiter: Waiter?
    }

    private let store = Lock(Store())

    init() {
        super.init(scope: FlowScope(life: FlowLife(clock: ContinuousLoopClock())))
    }

    override func receive(_ value: Value) -> EmitResult {
        guard !scope.isCancelled else { return .cancelled }
        let waiter = store.withLock { store -> Waiter? in
            guard let waiter = store.waiter.take() else {
                if store.end == nil { store.values.append(value) }
                return nil
            }
            return waiter
        }
        waiter?.resume(returning: value)
        return .queued
    }

    override func complete(_ error: (any Error)?) {
        let waiter = store.withLock { store -> Waiter? in
            guard store.end == nil else { return nil }
            guard let waiter = store.waiter.take() else {
                store.end = FlowCompletion(error)
                return nil
            }
            store.end = .finished
            return waiter
        }
        if let error { waiter?.resume(throwing: error) } else { waiter?.resume(returning: nil) }
        scope.cancel()
    }

    func cancel() {
        // The buffered values are released here, outside the lock.
        let rest = store.exchange(Store(end: .finished))
        scope.cancel()
        rest.waiter?.resume(returning: nil)
    }

    func next() async throws -> Value? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(with: continuation)?()
            }
        } onCancel: {
            cancel()
        }
    }

    private func wait(with waiter: Waiter) -> (@Sendable () -> Void)? {
        store.withLock { store in
            precondition(store.waiter == nil, "a flow's iterator was asked for two values at a time")
            if let value = store.values.popFirst() { return { waiter.resume(returning: value) } }
            switch store.end {
            case nil:
                store.waiter = waiter
                return nil
            case .finished: return { waiter.resume(returning: nil) }
            case .failure(let error):
                store.end = .finished
                return { waiter.resume(throwing: error) }
            }
        }
    }
}

/// Iteration with `for await`: `makeAsyncIterator()` subscribes to the flow.
///
/// The subscription ends when the iterator is released, the flow completes, or the task that waits for a
/// value is cancelled. In the last case `next()` returns nil. A flow pushes its values, so the iterator
/// buffers them without bound. Operators use the machine's clock.
extension Flow: AsyncSequence {
    /// An iterator over the values of one subscription.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private final class Owner: Sendable {
            let buffer = FlowBuffer<Value>()

            deinit {
                buffer.cancel()
            }
        }

        private let owner = Owner()

        init(_ flow: Flow) {
            flow.start(owner.buffer)
        }

        /// Waits for the next value; returns nil once the flow has finished or the task was cancelled.
        /// - Throws: the failure of the flow, once.
        public mutating func next() async throws -> Value? {
            try await owner.buffer.next()
        }

        /// Waits for the next value; returns nil once the flow has finished or the task was cancelled.
        /// - Throws: the failure of the flow, once.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            try await owner.buffer.next()
        }
    }

    /// Subscribes to the flow.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}
