/// How many durations were at most so long, in powers of two from 1 µs to 64 s.
package struct DurationHistogram: Hashable, Sendable {
    /// The number of limits; the last bucket is for longer durations.
    package static let limits = 27

    /// Durations up to each limit that are above the limit before it, and those above all limits.
    package private(set) var buckets = [Int](repeating: 0, count: limits + 1)
    /// The number of durations.
    package private(set) var count = 0
    /// In nanoseconds.
    private var total: Int64 = 0, greatest: Int64 = 0

    /// The sum of the durations, and the longest one.
    package var sum: Duration { .nanoseconds(total) }
    package var longest: Duration { .nanoseconds(greatest) }

    /// The limit of a bucket.
    package static func limit(_ bucket: Int) -> Duration { .microseconds(1 << bucket) }

    /// Makes an empty histogram.
    package init() {}

    /// Counts one duration.
    ///
    /// - Parameter nanoseconds: its length; not negative.
    package mutating func add(nanoseconds: Int64) {
        let microseconds = max(1, Int((nanoseconds &+ 999) / 1000))
        let bucket = Int.bitWidth - (microseconds - 1).leadingZeroBitCount
        buckets[min(bucket, Self.limits)] += 1
        (count, total, greatest) = (count + 1, total &+ nanoseconds, max(greatest, nanoseconds))
    }

    /// Counts one duration.
    package mutating func add(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        add(nanoseconds: seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }

    /// Counts the durations of another histogram, too.
    package mutating func add(_ other: DurationHistogram) {
        for (index, count) in other.buckets.enumerated() { buckets[index] += count }
        (count, total, greatest) = (
            count + other.count, total &+ other.total, max(greatest, other.greatest)
        )
    }

    /// The least limit that so large a part of the durations does not exceed; nil without durations.
    ///
    /// - Parameter part: from 0 to 1.
    package func quantile(_ part: Double) -> Duration? {
        guard count > 0 else { return nil }
        var seen = 0
        for bucket in 0..<Self.limits {
            seen += buckets[bucket]
            if Double(seen) >= part * Double(count) { return min(Self.limit(bucket), longest) }
        }
        return longest
    }
}
