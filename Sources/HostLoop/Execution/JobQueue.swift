/// The decisions of `WorkerThreads`: the jobs that wait, and the number of the threads that run them, its
/// workers.
struct JobQueue: Sendable {
    /// The way in which a job that was added gets its worker.
    enum WakeUp: Sendable {
        /// All workers are busy; one of them takes the job later, and the timer is set already.
        case none
        /// All workers are busy, and the timer must be set.
        case timer
        case poller
        case sleeper
        case newWorker
    }

    /// What a worker does next.
    enum Next: Sendable { case run(any Runnable), poll, sleep, end }

    /// The result of a look at the jobs that wait.
    enum Look: Sendable {
        /// No job waits. The timer is off until one does.
        case over
        /// The next look comes after so many nanoseconds.
        case again(pause: Int64)
        /// So many workers must be started, and then the timer be set.
        case start(workers: Int)
    }

    /// The pause before a look at the jobs that wait, in nanoseconds: several slices of a loop.
    static let shortestPause: Int64 = 5_000_000
    /// The pause is doubled so often at most, to 1.28 s.
    private static let mostDoublings = 8
    /// A spare worker starts after so many looks in a row at which no worker had come for a job. One look is
    /// not enough: the whole process may have stood still before it.
    private static let looksUntilSpare = 2

    /// A job that finds no idle worker starts one, up to this number.
    let limit: Int
    /// The most workers, with those that are started because the others block.
    let limitWithSpare: Int
    var jobs = FIFO<any Runnable>()
    var workers = 0
    /// Workers that sleep, less those that were woken and have not looked for a job yet.
    var idle = 0
    var poll: Poll
    /// The timer is set to a look at the jobs that wait.
    private var isWatched = false
    /// The attempts, one after another, for which the system had no thread.
    private var attemptsInVain = 0
    /// The looks, one after another, that found jobs and no worker that had come for one.
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
        guard workers < limit else { return watches() ? .timer : .none }
        workers += 1
        return .newWorker
    }

    /// Moves the jobs to `ready`, which is empty, and takes the first.
    mutating func take(all ready: inout FIFO<any Runnable>) -> Next {
        swap(&jobs, &ready)
        if let job = ready.popFirst() { return .run(job) }
        // One idle worker stays while the others block: the next job need not wait for the timer.
        if workers > limit, idle > 0 {
            workers -= 1
            return .end
        }
        if poll.begin() { return .poll }
        idle += 1
        return .sleep
    }

    /// Returns whether a worker that slept in vain may end. It may not when each worker that sleeps was woken
    /// at the same moment.
    mutating func endIdle() -> Bool {
        guard idle > 0 else { return false }
        idle -= 1
        workers -= 1
        return true
    }

    /// The pause before the next look, in nanoseconds. It grows while the system has no thread to give.
    var pause: Int64 { Self.shortestPause << min(attemptsInVain, Self.mostDoublings) }

    /// Notes that the system had no thread for `count` of the workers that were to start.
    /// - Returns: whether the caller must set the timer, as it is not set yet. A job whose worker did not
    ///   start would otherwise wait for ever when no worker is left to take it.
    mutating func startFailed(_ count: Int) -> Bool {
        workers -= count
        attemptsInVain += 1
        return watches()
    }

    /// Notes that the timer must be set; returns whether the caller must set it.
    private mutating func watches() -> Bool {
        guard !isWatched else { return false }
        isWatched = true
        stalledLooks = 0
        return true
    }

    /// Looks at the jobs that wait, when the timer fires.
    ///
    /// A busy pool takes a job at least every millisecond, as loops yield their threads then. When jobs wait
    /// and no worker comes for one, all of them block or compute for long: a spare worker starts.
    /// - Parameters:
    ///   - ready: the jobs that were taken from the queue and have not begun.
    ///   - arrivals: the workers that came for a job since the last look.
    mutating func look(ready: Int, arrivals: Int) -> Look {
        let waiting = jobs.count + ready
        guard waiting > 0 else {
            isWatched = false
            attemptsInVain = 0
            return .over
        }
        if workers < limit, idle == 0 {
            let missing = min(waiting, limit - workers)
            workers += missing
            return .start(workers: missing)
        }
        guard arrivals == 0 else {
            stalledLooks = 0
            attemptsInVain = 0
            return .again(pause: pause)
        }
        stalledLooks += 1
        guard stalledLooks >= Self.looksUntilSpare else { return .again(pause: pause) }
        guard workers < limitWithSpare else {
            attemptsInVain += 1
            return .again(pause: pause)
        }
        workers += 1
        return .start(workers: 1)
    }

    /// Notes that all workers of a look have started.
    mutating func started() {
        attemptsInVain = 0
        stalledLooks = 0
    }

    /// Ends the calling worker, before it takes a job. It calls this when as many others as `limit` have come
    /// for a job since the last look, as these do not block.
    /// - Returns: false when there is no spare worker, or when the timer is not set. The worker must stay
    ///   then: the job that woke it may have no other.
    mutating func endSpare() -> Bool {
        guard isWatched, workers > limit else { return false }
        workers -= 1
        return true
    }
}
