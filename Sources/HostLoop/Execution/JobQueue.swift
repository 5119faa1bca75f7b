/// The decisions of `WorkerThreads`: the jobs that wait, and the number of the threads that run them, its workers.
struct JobQueue: Sendable {
    /// The way in which a job that was added gets its worker.
    enum WakeUp: Sendable {
        /// All workers are busy; one of them takes the job later.
        case none
        case poller
        case sleeper
        case newWorker
    }

    /// What a worker does next.
    enum Next: Sendable { case run(any Runnable), poll, sleep }

    /// The result of a look at the jobs that wait.
    enum Look: Sendable {
        /// No job needs another worker. The next look comes when one does.
        case over
        /// So many workers must be started, and the timer set to the next look.
        case start(workers: Int)
    }

    /// The pause before a look at the jobs that wait, in nanoseconds.
    private static let shortestPause: Int64 = 5_000_000
    /// The pause is doubled so often at most, to 1.28 s.
    private static let mostDoublings = 8

    /// The most workers.
    let limit: Int
    var jobs = FIFO<any Runnable>()
    var workers = 0
    /// Workers that sleep, less those that were woken and have not looked for a job yet.
    var idle = 0
    var poll: Poll
    /// The timer is set to a look at the jobs that wait.
    private var isWatched = false
    /// The attempts, one after another, for which the system had no thread.
    private var attemptsInVain = 0

    init(limit: Int, polls: Bool) {
        self.limit = limit
        poll = Poll(isOn: polls)
    }

    mutating func add(_ job: any Runnable) -> WakeUp {
        jobs.append(job)
        if poll.claim() { return .poller }
        if idle > 0 {
            idle -= 1
            return .sleeper
        }
        guard workers < limit else { return .none }
        workers += 1
        return .newWorker
    }

    /// Moves the jobs to `ready`, which is empty, and takes the first.
    mutating func take(all ready: inout FIFO<any Runnable>) -> Next {
        swap(&jobs, &ready)
        if let job = ready.popFirst() { return .run(job) }
        if poll.begin() { return .poll }
        idle += 1
        return .sleep
    }

    /// Returns whether a worker that slept in vain may end. It may not when each worker that sleeps was woken at the same
    /// moment.
    mutating func leave() -> Bool {
        guard idle > 0 else { return false }
        idle -= 1
        workers -= 1
        return true
    }

    /// The pause before the next look, in nanoseconds. It grows while the system has no thread to give.
    var pause: Int64 { Self.shortestPause << min(attemptsInVain, Self.mostDoublings) }

    /// Notes that the system had no thread for `count` of the workers that were to start.
    /// - Returns: whether the caller must set the timer, as it is not set yet. A job whose worker did not start would
    ///   otherwise wait for ever when no worker is left to take it.
    mutating func startFailed(_ count: Int) -> Bool {
        workers -= count
        attemptsInVain += 1
        defer { isWatched = true }
        return !isWatched
    }

    /// Looks at the jobs that wait, when the timer fires.
    /// - Parameter ready: the jobs that were taken from the queue and have not begun.
    mutating func look(ready: Int) -> Look {
        let waiting = jobs.count + ready
        guard waiting > 0, idle == 0, workers < limit else {
            isWatched = false
            attemptsInVain = 0
            return .over
        }
        let missing = min(waiting, limit - workers)
        workers += missing
        return .start(workers: missing)
    }

    /// Notes that all workers of a look have started.
    mutating func started() { attemptsInVain = 0 }
}
