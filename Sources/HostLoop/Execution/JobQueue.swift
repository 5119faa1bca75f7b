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

    /// The most workers.
    let limit: Int
    var jobs = FIFO<any Runnable>()
    var workers = 0
    /// Workers that sleep, less those that were woken and have not looked for a job yet.
    var idle = 0
    var poll: Poll

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
}
