/// How many durations were at most so long, in powers of two from 1 µs to 64 s.
package struct DurationHistogram: Hashable, Sendable {
    /// The number of limits; the last bucket is for longer durations.
    package static let limits = 27

    /// Durations up to each limit that are above the limit before it, and those above all limits.
    package private(set) var buckets = [Int](repeating: 0, count: limits + 1)
    /// The number of durations, their sum, and the longest one.
    package private(set) var count = 0, sum = Duration.zero, longest = Duration.zero

    /// The limit of a bucket.
    package static func limit(_ bucket: Int) -> Duration { .microseconds(1 << bucket) }

    /// Makes an empty histogram.
    package init() {}

    /// Counts one duration.
    package mutating func add(_ duration: Duration) {
        let microseconds = max(1, Int(clamping: duration.microsecondsRoundedUp))
        let bucket = Int.bitWidth - (microseconds - 1).leadingZeroBitCount
        buckets[min(bucket, Self.limits)] += 1
        (count, sum, longest) = (count + 1, sum + duration, max(longest, duration))
    }

    /// Counts the durations of another histogram, too.
    package mutating func add(_ other: DurationHistogram) {
        for (index, count) in other.buckets.enumerated() { buckets[index] += count }
        (count, sum, longest) = (count + other.count, sum + other.sum, max(longest, other.longest))
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

extension Duration {
    fileprivate var microsecondsRoundedUp: Int64 {
        components.seconds * 1_000_000 + (components.attoseconds + 999_999_999_999) / 1_000_000_000_000
    }
}
