public import CPluginABI

/// What a function of the host answered: zero is good, negative is an error, and an unknown code is an error too.
public struct Status: RawRepresentable, Hashable, Sendable, Error {
    /// The code as C says it, `SPIN_OK` and so on.
    public let rawValue: spin_status

    /// Takes any code; one that has no name below is an error without a name.
    public init(rawValue: spin_status) {
        self.rawValue = rawValue
    }

    /// Done.
    public static let ok = Status(rawValue: SPIN_OK)
    /// An error without a code of its own.
    public static let failed = Status(rawValue: SPIN_FAILED)
    /// The loop's mailbox is full; this event was dropped and counted.
    public static let full = Status(rawValue: SPIN_FULL)
    /// The call was cancelled: nobody wants its events any more.
    public static let cancelled = Status(rawValue: SPIN_CANCELLED)
    /// The call is over: finished, failed, or its loop stopped.
    public static let stopped = Status(rawValue: SPIN_STOPPED)
    /// An argument is not acceptable.
    public static let badValue = Status(rawValue: SPIN_BAD_VALUE)
    /// This host does not offer it.
    public static let unsupported = Status(rawValue: SPIN_UNSUPPORTED)
    /// No memory.
    public static let noMemory = Status(rawValue: SPIN_NO_MEMORY)
    /// The host has not introduced itself yet.
    public static let noHost = Status(rawValue: SPIN_NO_HOST)
}
