/// What a loop did while it was watched, in numbers.
public struct WatchedCounts: Sendable {
    /// Where events come from. The raw value is part of the output for people and programs.
    public enum Origin: String, CaseIterable, Sendable {
        case external, feedback, gear, after
    }

    /// What became of events of one origin.
    public struct Events: Hashable, Sendable {
        /// Events that made a state, that no transition handles, that were withdrawn, and that came after the end of
        /// their run.
        public internal(set) var handled = 0, unhandled = 0, withdrawn = 0, late = 0
    }

    /// The runs of one feedback.
    public struct Runs: Sendable {
        /// The feedback's name.
        public let feedback: String
        /// Runs that began, that ended in order, that were cancelled, and that failed.
        public internal(set) var began = 0, ended = 0, cancelled = 0, failed = 0
        /// How long the runs lasted that ended.
        public internal(set) var times = DurationHistogram()
    }

    /// Since when the loop is watched: nanoseconds since 1970-01-01T00:00:00Z.
    public internal(set) var since: Int64
    /// By origin, in the order of `Origin`.
    public internal(set) var events = [Events](repeating: Events(), count: Origin.allCases.count)
    /// By feedback: the receivers of gears, the feedbacks of the manifest, and delays.
    public internal(set) var runs: [Runs]
}

/// How many durations were at most so long, in powers of two from 1 µs to 64 s.
public struct DurationHistogram: Hashable, Sendable {
    /// The number of limits; the last bucket is for longer durations.
    public static let limits = 27

    /// Durations up to each limit that are above the limit before it, and those above all limits.
    public private(set) var buckets = [Int](repeating: 0, count: limits + 1)
    /// The number of durations, their sum, and the longest one.
    public private(set) var count = 0, sum = Duration.zero, longest = Duration.zero

    /// The limit of a bucket.
    public static func limit(_ bucket: Int) -> Duration { .microseconds(1 << bucket) }

    mutating func add(_ duration: Duration) {
        let microseconds = max(1, Int(clamping: duration.microsecondsRoundedUp))
        let bucket = Int.bitWidth - (microseconds - 1).leadingZeroBitCount
        buckets[min(bucket, Self.limits)] += 1
        (count, sum, longest) = (count + 1, sum + duration, max(longest, duration))
    }

    /// The least limit that so large a part of the durations does not exceed; nil without durations.
    ///
    /// - Parameter part: from 0 to 1.
    public func quantile(_ part: Double) -> Duration? {
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
