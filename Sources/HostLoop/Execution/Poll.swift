/// Decides whether a worker without a job polls for one before it sleeps. One worker polls at a time, and
/// workers poll only while polls find jobs.
///
/// A job that comes within that time saves two thread switches: often another thread answers at once.
struct Poll: Sendable {
    /// The length of a poll: about the cost of putting a thread to sleep and waking it. So a poll that finds
    /// nothing at most doubles that cost (Karlin, Li, Manasse and Owicki, Empirical studies of competitive
    /// spinning, SOSP 1991).
    static let nanoseconds: Int64 = 20_000
    /// The most workers, one after another, that sleep without a poll after polls that found nothing.
    static let mostSkipped = 255

    private enum Phase: Sendable {
        case none
        case polling
        /// A thread that added a job has stopped the poll.
        case claimed
    }

    private let isOn: Bool
    private var phase = Phase.none
    /// The number of workers that still sleep without a poll before the next poll.
    private var left = 0
    /// The value that `left` began with.
    private var skipped = 0

    /// Makes the rule.
    /// - Parameter isOn: False if no worker may poll. On a single processor a poll only keeps other threads
    ///   from working.
    init(isOn: Bool) {
        self.isOn = isOn
    }

    /// Returns whether the calling worker, which has no job, must poll.
    mutating func begin() -> Bool {
        guard isOn, phase == .none else { return false }
        guard left == 0 else {
            left -= 1
            return false
        }
        phase = .polling
        return true
    }

    /// Stops the poll of a worker, as there is a job. Returns false when no worker polls, or when another job
    /// has stopped it before.
    mutating func claim() -> Bool {
        guard phase == .polling else { return false }
        phase = .claimed
        return true
    }

    /// Ends the poll. Each poll that found nothing doubles the delay of the next one. After a poll that a job
    /// has stopped, the next one comes at once.
    mutating func end() {
        skipped = phase == .claimed ? 0 : min(2 * skipped + 1, Self.mostSkipped)
        left = skipped
        phase = .none
    }
}
