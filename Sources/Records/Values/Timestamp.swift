/// An instant: seconds and nanoseconds since the Unix epoch, in UTC, without leap seconds.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Whole seconds since 1970-01-01T00:00:00Z; negative for earlier instants.
    public let seconds: Int64
    /// 0 to 999,999,999, always counted forward from `seconds`.
    public let nanoseconds: Int32

    /// - Precondition: `nanoseconds` is 0 to 999,999,999.
    public init(seconds: Int64, nanoseconds: Int32 = 0) {
        precondition((0..<1_000_000_000).contains(nanoseconds), "nanoseconds are 0 to 999,999,999")
        (self.seconds, self.nanoseconds) = (seconds, nanoseconds)
    }

    /// The instant of a stored timestamp, which is in nanoseconds since the epoch.
    public init(nanosecondsSinceEpoch: Int64) {
        let seconds = nanosecondsSinceEpoch.flooredQuotient(by: 1_000_000_000)
        let rest = nanosecondsSinceEpoch % 1_000_000_000
        self.init(seconds: seconds, nanoseconds: Int32(rest < 0 ? rest + 1_000_000_000 : rest))
    }

    /// The nanoseconds since the epoch, as a record stores them.
    /// Nil outside 1677-09-21 to 2262-04-11, the range of `int64_t` nanoseconds.
    public var nanosecondsSinceEpoch: Int64? {
        // A negative instant counts down from the next second, so that the first representable one does not
        // overflow.
        let (base, rest) =
            seconds < 0 && nanoseconds > 0
            ? (seconds + 1, Int64(nanoseconds) - 1_000_000_000) : (seconds, Int64(nanoseconds))
        let (scaled, overflow) = base.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = scaled.addingReportingOverflow(rest)
        return overflow || carry ? nil : sum
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

extension Int64 {
    /// The quotient rounded toward negative infinity.
    public func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
