#if canImport(Combine) || OpenCombine
    public import HostLoop
    public import HostLoopFlow

    #if canImport(Combine)
        public import Combine
    #else
        public import OpenCombine
    #endif

    /// The values of a flow as a publisher: `loop.publisher().sink { print($0) }`.
    ///
    /// A subscription to the publisher is one to the flow, begun when the subscriber has got its `Subscription`. It never
    /// exceeds the demand: values that come without demand wait in a buffer, and the completion waits for them. The
    /// thread that emits a value delivers it, or the one that requests it; deliveries come one at a time and in order.
    /// The subscriber must accept calls from any thread, as with the publishers of any library.
    public struct FlowPublisher<Output: Sendable, Failure: Error>: Publisher {
        private let flow: Flow<Output>
        private let buffering: StateBuffering
        private let failure: @Sendable (any Error) -> Failure

        fileprivate init(
            _ flow: Flow<Output>, _ buffering: StateBuffering,
            failure: @escaping @Sendable (any Error) -> Failure
        ) {
            self.flow = flow
            self.buffering = buffering
            self.failure = failure
        }

        /// Subscribes to the flow for a subscriber.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Output, Downstream.Failure == Failure {
            let subscription = FlowSubscription(AnySubscriber(subscriber), buffering: buffering)
            subscriber.receive(subscription: subscription)
            subscription.begin(flow, failure: failure)
        }
    }

    extension FlowPublisher where Failure == Never {
        fileprivate init(ofNoFailure flow: Flow<Output>, _ buffering: StateBuffering) {
            self.init(flow, buffering) { preconditionFailure("a flow that cannot fail has failed: \($0)") }
        }
    }

    extension Flow {
        /// A publisher of the values of this flow, which fails if the flow fails.
        /// - Parameter buffering: The values that each subscription keeps for a subscriber without demand.
        public func publisher(buffering: StateBuffering = .unbounded) -> FlowPublisher<Value, any Error> {
            FlowPublisher(self, buffering) { $0 }
        }
    }

    extension Loop {
        /// A publisher of the states of this running loop: those of `stream`, the current one first. It finishes when the
        /// loop stops.
        ///
        /// The draining thread delivers them. The publisher keeps the loop running; a subscription does not.
        /// - Parameter buffering: The states that each subscription keeps for a subscriber without demand.
        public func publisher(buffering: StateBuffering = .unbounded) -> FlowPublisher<State, Never> {
            FlowPublisher(ofNoFailure: stream, buffering)
        }
    }

    extension Spin {
        /// A publisher of the states of a loop: those of `stream`. Each subscription starts a loop and owns it: the loop
        /// stops when the subscription is cancelled. It finishes when the loop stops.
        /// - Parameter buffering: The states that each subscription keeps for a subscriber without demand.
        public func publisher(buffering: StateBuffering = .unbounded) -> FlowPublisher<State, Never> {
            FlowPublisher(ofNoFailure: stream, buffering)
        }
    }

    extension ObservableLoop {
        /// A publisher of the states of this loop: those of `stream`. It never finishes.
        /// - Parameter buffering: The states that each subscription keeps for a subscriber without demand.
        public func publisher(buffering: StateBuffering = .unbounded) -> FlowPublisher<State, Never> {
            FlowPublisher(ofNoFailure: stream, buffering)
        }

        /// A publisher of the handled events, each once: those of `events`. It never finishes.
        /// - Parameter buffering: The events that each subscription keeps for a subscriber without demand.
        public func eventPublisher(buffering: StateBuffering = .unbounded) -> FlowPublisher<Event, Never> {
            FlowPublisher(ofNoFailure: events, buffering)
        }
    }

    extension Gear {
        /// A publisher of the messages of this gear: those of `flow`. It never finishes.
        /// - Parameter buffering: The messages that each subscription keeps for a subscriber without demand.
        public func publisher(buffering: StateBuffering = .unbounded) -> FlowPublisher<Message, Never> {
            FlowPublisher(ofNoFailure: flow, buffering)
        }
    }
#endif
