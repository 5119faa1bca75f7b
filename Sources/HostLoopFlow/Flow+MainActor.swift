import HostLoop

/// The values of a flow, delivered on the main actor: `flow.onMain.sink { self.title = $0 }`.
///
/// The compiler knows that the functions are called there, so they may use everything that the main actor guards,
/// with or without `Sendable`. The program must serve the main dispatch queue.
public struct MainFlow<Value: Sendable>: Sendable {
    fileprivate let flow: Flow<Value>

    /// Subscribes to the values, from the main actor. Each is delivered in a later turn of the main queue, one at a time
    /// and in order. The end of the flow is ignored.
    /// - Parameter receiveValue: Called on the main actor until the subscription is cancelled there. A cancellation on
    ///   another thread may miss a value whose delivery has begun.
    /// - Returns: the subscription, which lasts as long as it is kept.
    @MainActor
    public func sink(receiveValue: @escaping @MainActor (Value) -> Void) -> Subscription {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }

    /// The same with a function for the completion, which is called at most once, after the last value.
    @MainActor
    public func sink(
        receiveCompletion: @escaping @MainActor (FlowCompletion) -> Void,
        receiveValue: @escaping @MainActor (Value) -> Void
    ) -> Subscription {
        flow.receive(on: .main).sink { completion in
            MainActor.assumeIsolated { receiveCompletion(completion) }
        } receiveValue: { value in
            MainActor.assumeIsolated { receiveValue(value) }
        }
    }
}

extension Flow {
    /// The values, delivered on the main actor.
    public var onMain: MainFlow<Value> { MainFlow(flow: self) }
}
