/// The jobs and the threads of `WorkerThreads`, as numbers.
struct Crew: Sendable {
    /// Who is to be told of a job.
    enum Call: Sendable { case none, poller, wake, hire }

    /// What a thread does next.
    enum Next: Sendable { case run(any Runnable), poll, wait }

    let limit: Int
    var jobs = FIFO<any Runnable>()
    var threads = 0
    /// Threads that wait, less those that were called and have not looked yet.
    var idle = 0
    var poll: Poll

    init(limit: Int, polls: Bool) {
        self.limit = limit
        poll = Poll(isOn: polls)
    }

    mutating func add(_ job: any Runnable) -> Call {
        jobs.append(job)
        if poll.claim() { return .poller }
        if idle > 0 {
            idle -= 1
            return .wake
        }
        guard threads < limit else { return .none }
        threads += 1
        return .hire
    }

    /// Moves the jobs to `ready`, which is empty, and takes the first.
    mutating func take(all ready: inout FIFO<any Runnable>) -> Next {
        swap(&jobs, &ready)
        if let job = ready.popFirst() { return .run(job) }
        if poll.begin() { return .poll }
        idle += 1
        return .wait
    }

    /// Whether a thread that waited in vain may go; not when every waiting thread was called in the same
    /// moment.
    mutating func leave() -> Bool {
        guard idle > 0 else { return false }
        idle -= 1
        threads -= 1
        return true
    }
}
