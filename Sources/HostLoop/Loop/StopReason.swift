/// Why a loop stopped.
public struct StopReason: Sendable, Hashable {
    private enum Kind: Sendable, Hashable { case stopped, until, released }

    private let kind: Kind

    /// `Loop.stop()` was called.
    public static let stopped = StopReason(kind: .stopped)
    /// The spin's `until` was true of the state.
    public static let until = StopReason(kind: .until)
    /// The last reference to the loop's handle was released.
    public static let released = StopReason(kind: .released)
}
