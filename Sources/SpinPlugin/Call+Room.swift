import CPluginABI

extension Call {
    /// A call that lasts until the instance stops, for events that no effect asked for. A feedback with
    /// `effect = "PLUGIN:*"` listens to it. Only for the call that `start` gets; nil for any other.
    public var instance: Call? {
        // Safe because the host validates the token.
        unsafe spin_instance_call(token).map { unsafe Call($0) }
    }

    /// Calls `body` once when half of the loop's mailbox is free, or when the call is over.
    ///
    /// For a plugin that got `.full` from an emission, and must neither drop the event nor block a thread.
    ///
    /// - Parameter body: called on a thread of the host that it may block. It may ask for the next room.
    /// - Throws: `.full` when the call has such a function already, `.cancelled` or `.stopped` when it is over,
    ///   `.unsupported` when the host cannot do it. `body` is not called then.
    public func onRoom(_ body: @escaping @Sendable () -> Void) throws(Status) {
        // Safe because the host takes over the object; otherwise this function releases it.
        let waiting = unsafe Unmanaged.passRetained(Waiting(body))
        let status = unsafe Status(
            rawValue: spin_on_room(
                token, { unsafe Unmanaged<Waiting>.fromOpaque($0!).takeRetainedValue().body() },
                waiting.toOpaque()))
        guard status == .ok else {
            unsafe waiting.release()
            throw status
        }
    }

    private final class Waiting: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
