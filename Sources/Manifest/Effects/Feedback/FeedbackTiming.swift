/// The times and retries of a feedback's runs. Each time is longer than zero, or nil if the key is absent.
public struct FeedbackTiming: Hashable, Sendable {
    /// What follows a failed attempt.
    public struct Retry: Hashable, Sendable {
        /// How many times a failed attempt is repeated.
        public let times: Int
        /// The wait before the first repetition; each later one is twice as long.
        public let delay: Duration
        /// The longest wait.
        public let longest: Duration

        /// One attempt.
        public static let never = Retry(times: 0)

        /// - Precondition: nothing is negative, and `longest` is not shorter than `delay`.
        public init(times: Int, delay: Duration = .zero, longest: Duration = .zero) {
            precondition(times >= 0 && delay >= .zero && longest >= delay, "a wait has a limit")
            (self.times, self.delay, self.longest) = (times, delay, longest)
        }

        /// The wait before repetition number `attempt`: 1, 2, ….
        public func delay(before attempt: Int) -> Duration {
            var (wait, left) = (delay, attempt)
            while left > 1, wait < longest { (wait, left) = (wait * 2, left - 1) }
            return min(wait, longest)
        }
    }

    /// How long a start waits; a newer start replaces it and waits again.
    public let debounce: Duration?
    /// How long each run waits before it starts.
    public let delay: Duration?
    /// How long each attempt may take before it has failed.
    public let timeout: Duration?
    /// Whether a failed attempt is repeated.
    public let retry: Retry

    /// No waiting, no limit, one attempt.
    public static let none = FeedbackTiming(debounce: nil, delay: nil, timeout: nil, retry: .never)

    /// Times and retries of a feedback.
    ///
    /// - Precondition: times are longer than zero.
    public init(debounce: Duration?, delay: Duration?, timeout: Duration?, retry: Retry) {
        precondition(
            [debounce, delay, timeout].allSatisfy { $0.map { $0 > .zero } ?? true },
            "times are longer than zero")
        (self.debounce, self.delay, self.timeout, self.retry) = (debounce, delay, timeout, retry)
    }
}
