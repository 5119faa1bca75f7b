/// The jobs that workers take next, and the number of workers that have come for one.
///
/// New jobs go to `JobQueue`, which has a lock of its own: a thread that adds a job does not contend with the
/// threads that take jobs from here.
struct ReadyJobs: Sendable {
    /// The number of a round: the time between two looks at the jobs that wait.
    typealias Round = UInt
    /// The round of a worker that has not come for a job yet.
    static let noRound = Round.max

    var jobs = FIFO<any Runnable>()
    private var round: Round = 0
    private var arrivals = 0

    /// Counts a worker that comes for a job, once a round.
    /// - Parameter last: The round in which the worker came before.
    /// - Returns: The number of workers that have come in this round; 0 when this one came before.
    mutating func arrive(last: inout Round) -> Int {
        guard last != round else { return 0 }
        last = round
        arrivals += 1
        return arrivals
    }

    /// Begins the next round. Returns the number of workers that came in the one before.
    mutating func beginRound() -> Int {
        defer { arrivals = 0 }
        round += 1
        return arrivals
    }
}
