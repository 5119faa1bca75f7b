#if canImport(Combine) || OpenCombine
    public import HostLoopFlow

    #if canImport(Combine)
        public import Combine
    #else
        public import OpenCombine
    #endif

    extension Publisher where Output: Sendable {
        /// A flow of the values of this publisher, for effects and feedbacks:
        /// `.onChange("search", of: \.query) { search($0).flow }`.
        ///
        /// Each subscription to the flow is one to the publisher, which the cancellation of the run cancels. The flow
        /// requests all values, emits each on the publisher's thread, and fails if the publisher fails. The flow of a
        /// publisher that emits while it is subscribed to, such as `Just`, is synchronous.
        ///
        /// Subscribing happens where the effect executes, so the publisher must allow that on any thread. Closures of its
        /// operators that are written on the main actor should be marked `@Sendable`, or follow a `receive(on:)`.
        public var flow: Flow<Output> {
            let source = AnyThreadPublisher(publisher: AnyPublisher(self))
            return Flow { source.publisher.subscribe(FlowSubscriber($0)) }
        }
    }

    /// Carries a publisher to the thread that subscribes.
    // Safe because publishers of these libraries accept subscribers on any thread.
    private struct AnyThreadPublisher<Output, Failure: Error>: @unchecked Sendable {
        let publisher: AnyPublisher<Output, Failure>
    }

    /// Carries a subscription to the thread that cancels it.
    // Safe because subscriptions may be cancelled on any thread.
    private struct AnyThreadSubscription: @unchecked Sendable {
        let subscription: any PublisherSubscription
    }

    /// Emits into a flow what a publisher sends.
    private final class FlowSubscriber<Input: Sendable, Failure: Error>: Subscriber {
        private let sink: FlowSink<Input>

        init(_ sink: FlowSink<Input>) {
            self.sink = sink
        }

        func receive(subscription: any PublisherSubscription) {
            // The handler precedes the request, which a synchronous publisher answers before it returns.
            let upstream = AnyThreadSubscription(subscription: subscription)
            sink.onCancel { upstream.subscription.cancel() }
            if !sink.isCancelled { subscription.request(.unlimited) }
        }

        func receive(_ value: Input) -> Subscribers.Demand {
            sink.emit(value)
            return .none
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            switch completion {
            case .finished: sink.finish()
            case .failure(let error): sink.fail(error)
            }
        }
    }
#endif
