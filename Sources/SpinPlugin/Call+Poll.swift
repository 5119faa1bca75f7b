import CPluginABI

extension Call {
    /// The readiness of a descriptor.
    public struct Readiness: OptionSet, Hashable, Sendable {
        /// The bits of `spinhost/services/poll.h`.
        public let rawValue: UInt64

        /// Readiness of these bits.
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// A read would not block: there is data, a connection, or the end.
        public static let read = Readiness(rawValue: 1)
        /// A write would not block.
        public static let write = Readiness(rawValue: 2)
        /// The other side has closed, or the descriptor has an error. There may still be data to read.
        public static let hangUp = Readiness(rawValue: 4)
    }

    /// A descriptor that the host watches for a call. It ends with the call.
    public struct Poll: Hashable, Sendable {
        private let number: spin_poll

        init(_ number: spin_poll) { self.number = number }

        /// Watches for other events from now on; an empty set pauses the poll.
        ///
        /// - Returns: `.stopped` when it has ended, `.badValue` for `.hangUp`, which is always reported.
        @discardableResult
        public func change(to events: Readiness) -> Status {
            Status(rawValue: spin_poll_change(number, events.rawValue))
        }

        /// Ends the poll and returns at once. Its function may still run on another thread.
        ///
        /// - Returns: `.stopped` when it had ended before.
        @discardableResult
        public func cancel() -> Status { Status(rawValue: spin_poll_cancel(number)) }
    }

    private final class Watching: Sendable {
        let ready: @Sendable (Readiness) -> Void
        let ended: @Sendable () -> Void

        init(_ ready: @escaping @Sendable (Readiness) -> Void, _ ended: @escaping @Sendable () -> Void) {
            (self.ready, self.ended) = (ready, ended)
        }
    }

    /// Calls `ready` while a descriptor is ready for any of `events`.
    ///
    /// The host calls it again as long as the events hold, one function of the plugin after the other, on one
    /// thread for each version of the plugin. The descriptor should be non-blocking.
    ///
    /// - Parameters:
    ///   - events: `.read`, `.write`, both, or none for a poll that begins paused.
    ///   - ended: called once after the end, when `ready` will not be called again. Close the descriptor
    ///     there.
    /// - Throws: `.badValue` for other events, and for a descriptor that is closed, a file, or polled already;
    ///   `.cancelled` or `.stopped` when the call is over; `.noMemory`; `.unsupported`. Neither function is
    ///   called then.
    @discardableResult
    public func startPoll(
        _ descriptor: Int32, for events: Readiness, _ ready: @escaping @Sendable (Readiness) -> Void,
        ended: @escaping @Sendable () -> Void = {}
    ) throws(Status) -> Poll {
        // Safe because the host takes over the object; otherwise this function releases it.
        let watching = unsafe Unmanaged.passRetained(Watching(ready, ended))
        var number: spin_poll = 0
        let status = unsafe Status(
            rawValue: spin_poll_start(
                token, descriptor, events.rawValue,
                { context, events in
                    unsafe Unmanaged<Watching>.fromOpaque(context!).takeUnretainedValue().ready(
                        Readiness(rawValue: events))
                }, watching.toOpaque(),
                { context in unsafe Unmanaged<Watching>.fromOpaque(context!).takeRetainedValue().ended() },
                &number))
        guard status == .ok else {
            unsafe watching.release()
            throw status
        }
        return Poll(number)
    }
}
