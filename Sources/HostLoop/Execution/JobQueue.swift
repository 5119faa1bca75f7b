/// The decisions of `WorkerThreads`: plain data with the jobs that wait, and the number of threads that run
/// them, the workers.
struct JobQueue: Sendable {
    /// The way in which a new job gets its worker.
    enum WakeUp: Sendable {
        /// All workers are busy. One of them takes the job later, and the timer is set already.
        case none
        /// All workers are busy, and the timer must be set.
        case timer
        case poller
        case sleeper
        case newWorker
    }

    /// The next action of a worker.
    enum Next: Sendable { case run(any Runnable), poll, sleep, end }

    /// The result of a look at the jobs that wait.
    enum Look: Sendable {
        /// No job waits. The timer is off until one does.
        case over
        /// The next look comes after this pause, in nanoseconds.
        case again(pause: Int64)
        /// The caller must start this many workers, and then set the timer.
        case start(workers: Int)
    }

    /// The pause before a look at the jobs that wait, in nanoseconds: several slices of a loop.
    static let shortestPause: Int64 = 5_000_000
    /// The pause is doubled at most this often, to 1.28 s.
    private static let mostDoublings = 8
    /// A spare worker starts after this many looks in a row at which no worker had come for a job. One look
    /// is not enough: the whole process may have stood still before it.
    private static let looksUntilSpare = 2

    /// A job that finds no idle worker starts one, up to this number.
    let limit: Int
    /// The most workers, including those that start because the others block.
    let limitWithSpare: Int
    var jobs = FIFO<any Runnable>()
    var workers = 0
    /// The number of workers that sleep, without those that were woken and have not looked for a job yet.
    var idle = 0
    var poll: Poll
    /// The timer is set to a look at the jobs that wait.
    private var isTimerSet = false
    /// The number of attempts in a row for which the system had no thread.
    private var failedAttempts = 0
    /// The number of looks in a row that found jobs but no worker that had come for one.
    private var stalledLooks = 0

    init(limit: Int, spare: Int, polls: Bool) {
        self.limit = limit
        limitWithSpare = limit + spare
        poll = Poll(isOn: polls)
    }

    mutating func add(_ job: any Runnable) -> WakeUp {
        jobs.append(job)
        if poll.claim() { return .poller }
        if idle > 0 {
            idle -= 1
            return .sleeper
        }
        guard workers < limit else { return requireTimer() ? .timer : .none }
        workers += 1
        return .newWorker
    }

    /// Moves the jobs to `ready`, which must be empty, and takes the first.
    mutating func take(all ready: inout FIFO<any Runnable>) -> Next {
        swap(&jobs, &ready)
        if let job = ready.popFirst() { return .run(job) }
        // One idle worker stays while the others block, so that the next job need not wait for the timer.
        if workers > limit, idle > 0 {
            workers -= 1
            return .end
        }
        if poll.begin() { return .poll }
        idle += 1
        return .sleep
    }

    /// Returns whether a worker whose sleep has timed out may end. It may not when each sleeping worker was
    /// woken at the same moment.
    mutating func endIdle() -> Bool {
        guard idle > 0 else { return false }
        idle -= 1
        workers -= 1
        return true
    }

    /// The pause before the next look, in nanoseconds. It grows while the system has no thread to give.
    var pause: Int64 { Self.shortestPause << min(failedAttempts, Self.mostDoublings) }

    /// Notes that the system had no thread for `count` of the workers that had to start.
    /// - Returns: Whether the caller must set the timer, as it is not set yet. Without the timer, a job whose
    ///   worker did not start would wait for ever when no worker is left to take it.
    mutating func startFailed(_ count: Int) -> Bool {
        workers -= count
        failedAttempts += 1
        return requireTimer()
    }

    /// Notes that the timer must be set; returns whether the caller must set it.
    private mutating func requireTimer() -> Bool {
        guard !isTimerSet else { return false }
        isTimerSet = true
        stalledLooks = 0
        return true
    }

    /// Looks at the jobs that wait, when the timer fires.
    ///
    /// A busy pool takes a job at least every millisecond, since loops yield their threads then. When jobs
    /// wait and no worker comes for one, all workers block or compute for long: a spare worker starts.
    /// - Parameters:
    ///   - ready: The number of jobs that were taken from the queue and have not begun.
    ///   - arrivals: The number of workers that have come for a job since the last look.
    mutating func look(ready: Int, arrivals: Int) -> Look {
        let waiting = jobs.count + ready
        guard waiting > 0 else {
            isTimerSet = false
            failedAttempts = 0
            return .over
        }
        if workers < limit, idle == 0 {
            let missing = min(waiting, limit - workers)
            workers += missing
            return .start(workers: missing)
        }
        guard arrivals == 0 else {
            stalledLooks = 0
            failedAttempts = 0
            return .again(pause: pause)
        }
        stalledLooks += 1
        guard stalledLooks >= Self.looksUntilSpare else { return .again(pause: pause) }
        guard workers < limitWithSpare else {
            failedAttempts += 1
            return .again(pause: pause)
        }
        workers += 1
        return .start(workers: 1)
    }

    /// Notes that all workers of a look have started.
    mutating func started() {
        failedAttempts = 0
        stalledLooks = 0
    }

    /// Ends the calling worker, before it takes a job. The worker calls this when at least `limit` others
    /// have come for a job since the last look, as these do not block.
    /// - Returns: False when there is no spare worker, or when the timer is not set. The worker must stay
    ///   then: the job that woke it may have no other worker.
    mutating func endSpare() -> Bool {
        guard isTimerSet, workers > limit else { return false }
        workers -= 1
        return true
    }
}
