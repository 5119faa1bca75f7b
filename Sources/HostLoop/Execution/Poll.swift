/// Whether a thread that has no job looks for one a little longer before it sleeps: one thread at a time, and only while
/// that proves right.
///
/// A job that comes within that time, such as what another thread answers at once, is taken without two switches of threads.
struct Poll: Sendable {
    /// How long: about what it costs to put a thread to sleep and to wake it. So a poll in vain costs as much again at most
    /// (Karlin, Li, Manasse and Owicki, Empirical studies of competitive spinning, SOSP 1991).
    static let nanoseconds: Int64 = 20_000
    /// How many times in a row threads sleep at once, at most, when polls were in vain.
    static let mostSkipped = 255

    private enum Phase: Sendable { case none, polls, claimed }

    private let isOn: Bool
    private var phase = Phase.none
    /// How many times threads are to sleep at once before the next poll, and how many they were to when that began.
    private var left = 0
    private var skipped = 0

    /// - Parameter isOn: false: never, as on a single core a thread that polls only keeps others from working.
    init(isOn: Bool) {
        self.isOn = isOn
    }

    /// Whether the calling thread, which has no job, is to poll.
    mutating func begin() -> Bool {
        guard isOn, phase == .none else { return false }
        guard left == 0 else {
            left -= 1
            return false
        }
        phase = .polls
        return true
    }

    /// Whether a thread polls that nobody has told of a job; it is told by the caller then.
    mutating func claim() -> Bool {
        guard phase == .polls else { return false }
        phase = .claimed
        return true
    }

    /// Notes that the poll is over: each in vain puts the next one off for twice as long, one that was told of a job does not.
    mutating func end() {
        skipped = phase == .claimed ? 0 : min(2 * skipped + 1, Self.mostSkipped)
        left = skipped
        phase = .none
    }
}
