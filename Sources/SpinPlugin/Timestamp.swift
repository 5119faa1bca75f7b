/// A time in nanoseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable, Emittable, Returnable {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public var nanoseconds: Int64

    /// The time that many nanoseconds after 1970-01-01T00:00:00Z.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Whether the time is earlier.
    public static func < (one: Timestamp, other: Timestamp) -> Bool { one.nanoseconds < other.nanoseconds }

    /// For the macros.
    public static func passed(_ value: Int64) -> Timestamp { Timestamp(nanoseconds: value) }
    /// For the macros.
    public func given<Result>(_ body: (Int64) -> Result) -> Result { body(nanoseconds) }
    /// For the macros.
    public var spinResult: Int64 { nanoseconds }
}
