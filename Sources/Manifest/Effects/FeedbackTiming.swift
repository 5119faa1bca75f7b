/// What the host's clock has to do with the runs of a feedback. The times are longer than zero; nil: none.
public struct FeedbackTiming: Hashable, Sendable {
    /// How long no newer start must come before a run begins.
    public let debounce: Duration?
    /// How long each run waits first.
    public let delay: Duration?
    /// How long each attempt may take until it has failed.
    public let timeout: Duration?
    /// How often a failed attempt is followed by another one.
    public let retry: Int

    /// No waiting, no limit, one attempt.
    public static let none = FeedbackTiming(debounce: nil, delay: nil, timeout: nil, retry: 0)

    /// - Precondition: times are longer than zero, `retry` is not negative.
    public init(debounce: Duration?, delay: Duration?, timeout: Duration?, retry: Int) {
        precondition(
            [debounce, delay, timeout].allSatisfy { $0.map { $0 > .zero } ?? true } && retry >= 0,
            "times are longer than zero")
        (self.debounce, self.delay, self.timeout, self.retry) = (debounce, delay, timeout, retry)
    }
}
