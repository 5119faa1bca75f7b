import HostLoop

/// What an iteration has not taken yet.
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
        // What was kept is released here, outside the lock.
        let left = store.exchange(Store(end: .finished))
        scope.cancel()
        left.waiter?.resume(returning: nil)
    }

    func next() async throws -> Value? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                take(continuation)?()
            }
        } onCancel: {
            cancel()
        }
    }

    private func take(_ waiter: Waiter) -> (@Sendable () -> Void)? {
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

/// Iterating subscribes: the subscription begins with `makeAsyncIterator()` and ends with the iterator, the
/// flow, or the task that waits for a value, whose `next()` then answers nil.
///
/// A flow pushes: what was not taken yet is kept without bound. Operators take their time from the machine's
/// clock.
extension Flow: AsyncSequence {
    /// One value after another.
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

        /// Waits for the next value; nil once the flow has finished or the task was cancelled.
        /// - Throws: what the flow fails with, once.
        public mutating func next() async throws -> Value? {
            try await owner.buffer.next()
        }

        /// Waits for the next value; nil once the flow has finished or the task was cancelled.
        /// - Throws: what the flow fails with, once.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            try await owner.buffer.next()
        }
    }

    /// Subscribes to the flow.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}
