/// The times and retries of a feedback's runs. Each time is longer than zero, or nil if the key is absent.
public struct FeedbackTiming: Hashable, Sendable {
    /// How long a start waits; a newer start replaces it and waits again.
    public let debounce: Duration?
    /// How long each run waits before it starts.
    public let delay: Duration?
    /// How long each attempt may take before it has failed.
    public let timeout: Duration?
    /// How many times a failed attempt is repeated.
    public let retry: Int

    /// No waiting, no limit, one attempt.
    public static let none = FeedbackTiming(debounce: nil, delay: nil, timeout: nil, retry: 0)

    /// Times and retries of a feedback.
    ///
    /// - Precondition: times are longer than zero, `retry` is not negative.
    public init(debounce: Duration?, delay: Duration?, timeout: Duration?, retry: Int) {
        precondition(
            [debounce, delay, timeout].allSatisfy { $0.map { $0 > .zero } ?? true } && retry >= 0,
            "times are longer than zero")
        (self.debounce, self.delay, self.timeout, self.retry) = (debounce, delay, timeout, retry)
    }
}
