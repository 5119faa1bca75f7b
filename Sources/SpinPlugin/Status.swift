public import CPluginABI

/// The result of a function of the host: zero is success, negative is an error. An unknown code is an error,
/// too.
public struct Status: RawRepresentable, Hashable, Sendable, Error {
    /// The code's number in C, such as `SPIN_OK`.
    public let rawValue: spin_status

    /// A status of any code. A code without a name below is an error without a name.
    public init(rawValue: spin_status) {
        self.rawValue = rawValue
    }

    /// Success.
    public static let ok = Status(rawValue: SPIN_OK)
    /// An error without a code of its own.
    public static let failed = Status(rawValue: SPIN_FAILED)
    /// The loop's mailbox is full. The host dropped this event and counted the drop.
    public static let full = Status(rawValue: SPIN_FULL)
    /// The call was cancelled: the loop takes no more events of it.
    public static let cancelled = Status(rawValue: SPIN_CANCELLED)
    /// The call is over: finished, failed, or its loop stopped.
    public static let stopped = Status(rawValue: SPIN_STOPPED)
    /// An argument is not valid.
    public static let badValue = Status(rawValue: SPIN_BAD_VALUE)
    /// This host does not offer the function.
    public static let unsupported = Status(rawValue: SPIN_UNSUPPORTED)
    /// No memory.
    public static let noMemory = Status(rawValue: SPIN_NO_MEMORY)
    /// The host has not introduced itself yet.
    public static let noHost = Status(rawValue: SPIN_NO_HOST)
}
