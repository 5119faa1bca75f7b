import HostLoop

/// The values of a flow, delivered on the main actor: `flow.onMain.sink { self.title = $0 }`.
///
/// The compiler knows that the functions are called there, so they may use everything that the main actor guards,
/// with or without `Sendable`.
///
/// A value that the main thread emits is delivered before its `emit` returns, if no earlier value waits. A value that
/// it emits within `receiveValue` follows the current one. Values of other threads are delivered in later turns of the
/// main dispatch queue, which the program must serve. All come one at a time and in order.
public struct MainFlow<Value: Sendable>: Sendable {
    fileprivate let flow: Flow<Value>

    /// Subscribes to the values, from the main actor. The end of the flow is ignored.
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
        Flow { flow.start(FlowDelivery($0, on: .main, isAtOnce: true)) }.sink { completion in
            MainActor.assumeIsolated { receiveCompletion(completion) }
        } receiveValue: { value in
            MainActor.assumeIsolated { receiveValue(value) }
        }
    }

    /// Sets a property of an object to each value: `flow.onMain.assign(to: \.text, on: label)`.
    ///
    /// Unlike Combine's `assign`, it does not keep the object.
    @MainActor
    public func assign<Root: AnyObject>(
        to keyPath: ReferenceWritableKeyPath<Root, Value>, on object: Root
    ) -> Subscription {
        sink { [weak object] value in object?[keyPath: keyPath] = value }
    }
}

extension Flow {
    /// The values, delivered on the main actor.
    public var onMain: MainFlow<Value> { MainFlow(flow: self) }
}
