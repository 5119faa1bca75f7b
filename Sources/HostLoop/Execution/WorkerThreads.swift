import Dispatch
import Glibc

/// Threads that run jobs, first in, first out: a fixed number for computation, or as many as jobs for
/// blocking.
final class WorkerThreads: Sendable {
    /// As many threads as cores, kept for the life of the process.
    static let shared = WorkerThreads(
        role: .pool, limit: max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))), lingering: nil)

    /// A thread for each job at a time; one without a job leaves after ten seconds.
    static let blocking = WorkerThreads(role: .blocking, limit: .max, lingering: .seconds(10))

    private let crew: Lock<Crew>
    /// Jobs that were taken from the crew: who adds others does not meet those who take these.
    private let ready = Lock(FIFO<any Runnable>())
    private let call = DispatchSemaphore(value: 0)
    private let role: ThreadRole
    private let lingering: DispatchTimeInterval?

    private init(role: ThreadRole, limit: Int, lingering: DispatchTimeInterval?) {
        self.crew = Lock(Crew(limit: limit))
        self.role = role
        self.lingering = lingering
    }

    func enqueue(_ job: any Runnable) {
        switch crew.withLock({ $0.add(job) }) {
        case .none: break
        case .wake: call.signal()
        case .hire:
            // Without a new thread the job waits for one that works already, or for the next attempt.
            if !role.startThread() { crew.withLock { $0.threads -= 1 } }
        }
    }

    /// Runs the job that the calling thread runs, one of these, once more after those that wait.
    ///
    /// No thread is woken for it, as this one looks for a job next: a loop that goes on alone stays where it is.
    ///
    /// - Precondition: that job is about to return.
    func resume(_ job: any Runnable) {
        crew.withLock { $0.jobs.append(job) }
    }

    private func next() -> (any Runnable)? {
        ready.withLock { ready in
            ready.popFirst() ?? crew.withLock { $0.take(all: &ready) }
        }
    }

    /// What each of the threads does.
    func work() {
        while true {
            if let job = next() {
                job.run()
            } else if let lingering {
                guard call.wait(timeout: .now() + lingering) == .timedOut else { continue }
                if crew.withLock({ $0.leave() }) { return }
                call.wait()
            } else {
                call.wait()
            }
        }
    }
}

/// The jobs and the threads of `WorkerThreads`, as numbers.
private struct Crew: Sendable {
    enum Call: Sendable { case none, wake, hire }

    let limit: Int
    var jobs = FIFO<any Runnable>()
    var threads = 0
    /// Threads that wait, less those that were called and have not looked yet.
    var idle = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func add(_ job: any Runnable) -> Call {
        jobs.append(job)
        if idle > 0 {
            idle -= 1
            return .wake
        }
        guard threads < limit else { return .none }
        threads += 1
        return .hire
    }

    /// Moves the jobs to `ready`, which is empty, and takes the first; nil: the thread has to wait.
    mutating func take(all ready: inout FIFO<any Runnable>) -> (any Runnable)? {
        swap(&jobs, &ready)
        let job = ready.popFirst()
        if job == nil { idle += 1 }
        return job
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
