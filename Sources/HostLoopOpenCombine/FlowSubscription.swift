#if canImport(Combine) || OpenCombine
    import HostLoop
    import HostLoopFlow

    #if canImport(Combine)
        import Combine
        typealias PublisherSubscription = Combine.Subscription
    #else
        import OpenCombine
        typealias PublisherSubscription = OpenCombine.Subscription
    #endif

    /// Delivers the values of a flow to a subscriber, as many as it has requested.
    // Safe because all that changes is behind its lock, and it makes the calls of the subscriber one at a time.
    final class FlowSubscription<Input: Sendable, Failure: Error>: PublisherSubscription, @unchecked Sendable
    {
        private typealias Downstream = AnySubscriber<Input, Failure>
        private typealias Completion = Subscribers.Completion<Failure>

        // Safe because a subscriber accepts calls from any thread.
        private enum Delivery: @unchecked Sendable {
            case value(Input, to: Downstream)
            case completion(Completion, to: Downstream)
        }

        // Safe because a subscriber accepts calls from any thread.
        private struct Store: @unchecked Sendable {
            /// Nil after the completion and the cancellation.
            var subscriber: Downstream?
            var sink: FunctionSink<Input>?
            var values = FIFO<Input>()
            var demand = Subscribers.Demand.none
            var completion: Completion?
            /// A thread delivers, and looks for more afterwards.
            var isDelivering = false

            mutating func nextDelivery() -> Delivery? {
                isDelivering = false
                guard let subscriber else { return nil }
                if demand > .none, let value = values.popFirst() {
                    demand -= 1
                    isDelivering = true
                    return .value(value, to: subscriber)
                }
                guard values.isEmpty, let completion else { return nil }
                self = Store()
                return .completion(completion, to: subscriber)
            }
        }

        private let buffering: StateBuffering
        private let store: Lock<Store>

        init(_ subscriber: AnySubscriber<Input, Failure>, buffering: StateBuffering) {
            self.buffering = buffering
            store = Lock(Store(subscriber: subscriber))
        }

        /// Subscribes to the flow, unless the subscriber has cancelled already.
        func begin(_ flow: Flow<Input>, failure: @escaping @Sendable (any Error) -> Failure) {
            let sink = FunctionSink<Input>(
                receiveCompletion: { end in
                    switch end {
                    case .finished: self.complete(.finished)
                    case .failure(let error): self.complete(.failure(failure(error)))
                    }
                }, receiveValue: { self.receive($0) })
            let begins = store.withLock { store in
                guard store.subscriber != nil else { return false }
                store.sink = sink
                return true
            }
            if begins { flow.start(sink) }
        }

        func request(_ demand: Subscribers.Demand) {
            store.withLock { $0.demand += demand }
            deliver()
        }

        func cancel() {
            // What the store had is released here, outside the lock.
            store.exchange(Store()).sink?.cancel()
        }

        private func receive(_ value: Input) {
            // A value that is dropped is released here, outside the lock.
            let dropped = store.withLock { store -> Input? in
                guard store.subscriber != nil else { return value }
                let waits = store.isDelivering || store.demand == .none
                if waits, case .oldest(let count) = buffering, store.values.count >= count { return value }
                store.values.append(value)
                if waits, case .newest(let count) = buffering, store.values.count > count {
                    return store.values.popFirst()
                }
                return nil
            }
            _ = dropped
            deliver()
        }

        private func complete(_ completion: Completion) {
            store.withLock { store in
                if store.subscriber != nil { store.completion = completion }
            }
            deliver()
        }

        private func deliver() {
            var next = store.withLock { $0.isDelivering ? nil : $0.nextDelivery() }
            while let delivery = next {
                switch delivery {
                case .value(let value, let subscriber):
                    let demand = subscriber.receive(value)
                    next = store.withLock { store in
                        store.demand += demand
                        return store.nextDelivery()
                    }
                case .completion(let completion, let subscriber):
                    subscriber.receive(completion: completion)
                    next = nil
                }
            }
        }
    }
#endif
