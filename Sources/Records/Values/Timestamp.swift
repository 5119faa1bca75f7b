/// An instant: seconds and nanoseconds since the Unix epoch, in UTC, without leap seconds.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Whole seconds since 1970-01-01T00:00:00Z, negative before.
    public let seconds: Int64
    /// 0 to 999,999,999, always counted forward from `seconds`.
    public let nanoseconds: Int32

    /// - Precondition: `nanoseconds` is 0 to 999,999,999.
    public init(seconds: Int64, nanoseconds: Int32 = 0) {
        precondition((0..<1_000_000_000).contains(nanoseconds), "nanoseconds count forward, below one second")
        (self.seconds, self.nanoseconds) = (seconds, nanoseconds)
    }

    /// The instant a record stores: nanoseconds since the epoch.
    public init(nanosecondsSinceEpoch: Int64) {
        let seconds = nanosecondsSinceEpoch.flooredQuotient(by: 1_000_000_000)
        let rest = nanosecondsSinceEpoch % 1_000_000_000
        self.init(seconds: seconds, nanoseconds: Int32(rest < 0 ? rest + 1_000_000_000 : rest))
    }

    /// What a record stores, nil outside 1677-09-21 to 2262-04-11, where `int64_t` nanoseconds end.
    public var nanosecondsSinceEpoch: Int64? {
        // Counted from the next second down when negative, so that the first representable instant does not overflow.
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
