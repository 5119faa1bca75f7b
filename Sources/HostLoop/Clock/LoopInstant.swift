/// A point in time of a `LoopClock`, in nanoseconds since the origin of that clock.
public struct LoopInstant: InstantProtocol, Sendable {
    /// Nanoseconds since the clock's origin; may be negative.
    public var nanoseconds: Int64

    /// Makes the instant that lies `nanoseconds` after the clock's origin.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The instant `duration` later. It is rounded towards zero to nanoseconds, and limited to the range of
    /// ±292 years.
    public func advanced(by duration: Duration) -> LoopInstant {
        let (seconds, attoseconds) = duration.components
        let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let span = whole.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000)
        let sum = nanoseconds.addingReportingOverflow(span.partialValue)
        guard !whole.overflow, !span.overflow, !sum.overflow else {
            return LoopInstant(nanoseconds: seconds < 0 ? .min : .max)
        }
        return LoopInstant(nanoseconds: sum.partialValue)
    }

    /// The time from this instant to `other`.
    @inlinable
    public func duration(to other: LoopInstant) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }

    /// Whether `lhs` lies before `rhs`; both must be of the same clock.
    @inlinable
    public static func < (lhs: LoopInstant, rhs: LoopInstant) -> Bool {
        lhs.nanoseconds < rhs.nanoseconds
    }
}
