/// A histogram of the host. Bucket `n` has the number of durations that are at most 2ⁿ µs, and longer than those of the
/// bucket before. The last bucket has all longer ones.
struct PowerHistogram {
    /// The upper bounds in seconds, and how many durations are at most as long; without the last bucket.
    let buckets: [(bound: String, count: String)]
    /// The number of durations.
    let count: Int64
    /// The sum of all durations in nanoseconds; nil if the host does not say it.
    private let sum: Int64?

    /// - Parameter histogram: an object with `sum` and `buckets`.
    init(_ histogram: JSON?) {
        let counts = (histogram?["buckets"]?.elements ?? []).map { $0.integer ?? 0 }
        var seen: Int64 = 0
        var buckets: [(String, String)] = []
        for (bucket, count) in counts.enumerated() {
            seen += max(0, count)
            if bucket < counts.count - 1 { buckets.append((MetricNumber.bound(bucket), "\(seen)")) }
        }
        (self.buckets, count, sum) = (buckets, seen, histogram?["sum"]?.integer)
    }

    /// Adds the histogram to a text, unless the host does not have it.
    func write(_ name: String, _ help: String, _ labels: MetricText.Labels, to text: inout MetricText) {
        guard let sum else { return }
        text.addHistogram(
            name, help, labels, buckets: buckets, sum: MetricNumber.seconds(nanoseconds: sum),
            count: "\(count)")
    }
}
