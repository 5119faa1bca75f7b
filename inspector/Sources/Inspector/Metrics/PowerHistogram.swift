/// A histogram of the host: bucket `n` counts the durations of at most 2ⁿ µs that are longer than those of the bucket
/// before.
struct PowerHistogram {
    /// The upper bounds in seconds, and how many durations are at most as long. The host's last bucket has no bound,
    /// as it also has all longer ones.
    let buckets: [(bound: String, count: String)]
    /// The number of durations.
    let count: Int64

    /// - Parameter counts: the host's buckets.
    init(_ counts: [Int64]) {
        var sum: Int64 = 0
        var buckets: [(String, String)] = []
        for (bucket, count) in counts.enumerated() {
            sum += max(0, count)
            if bucket < counts.count - 1 { buckets.append((MetricNumber.bound(bucket), "\(sum)")) }
        }
        (self.buckets, count) = (buckets, sum)
    }
}
