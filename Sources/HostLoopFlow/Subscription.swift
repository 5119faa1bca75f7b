import HostLoop

/// A subscription that lasts until it is cancelled or its last reference is released.
public final class Subscription: Sendable {
    private let handler: Lock<(@Sendable () -> Void)?>

    /// Makes a subscription from a function that cancels it.
    /// - Parameter handler: Called once, on the thread that cancels or releases the subscription.
    public init(onCancel handler: @escaping @Sendable () -> Void) {
        self.handler = Lock(handler)
    }

    deinit {
        cancel()
    }

    /// Ends the subscription; repeating it does nothing.
    ///
    /// A value that another thread is delivering may still arrive. No delivery begins after this call.
    public func cancel() {
        handler.exchange(nil)?()
    }

    /// Stores the subscription in a set.
    public func store(in subscriptions: inout Set<Subscription>) {
        subscriptions.insert(self)
    }

    /// Appends the subscription to an array.
    public func store(in subscriptions: inout [Subscription]) {
        subscriptions.append(self)
    }
}

extension Subscription: Hashable {
    /// Whether both are the same subscription.
    public static func == (lhs: Subscription, rhs: Subscription) -> Bool { lhs === rhs }

    /// Hashes the identity of the subscription.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
