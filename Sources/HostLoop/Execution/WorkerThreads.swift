import Dispatch
import Synchronization

/// Threads that run jobs, first in, first out: a fixed number for computation, or as many as jobs for
/// blocking.
final class WorkerThreads: ExecutorTarget {
    /// As many threads as cores, kept for the life of the process.
    static let shared = WorkerThreads(label: "pool", limit: Processors.usable, lingering: nil)

    /// A thread for each job at a time; one without a job leaves after ten seconds.
    static let blocking = WorkerThreads(label: "blocking", limit: .max, lingering: .seconds(10))

    let label: String
    private let crew: Lock<Crew>
    /// Jobs that were taken from the crew: who adds others does not meet those who take these.
    private let ready = Lock(FIFO<any Runnable>())
    private let call = DispatchSemaphore(value: 0)
    /// Tells the thread that polls of a job; told late, the next poll ends early, and the thread sleeps.
    private let pollIsOver = Atomic(false)
    private let lingering: DispatchTimeInterval?

    private init(label: String, limit: Int, lingering: DispatchTimeInterval?) {
        self.label = label
        self.crew = Lock(Crew(limit: limit, polls: Processors.usable > 1))
        self.lingering = lingering
    }

    func enqueue(_ job: any Runnable) {
        switch crew.withLock({ $0.add(job) }) {
        case .none: break
        case .poller: pollIsOver.store(true, ordering: .relaxed)
        case .wake: call.signal()
        case .hire:
            // Without a new thread the job waits for one that works already, or for the next attempt.
            if !Platform.startThread({ self.work() }) { crew.withLock { $0.threads -= 1 } }
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

    private func next() -> Crew.Next {
        ready.withLock { ready in
            if let job = ready.popFirst() { return .run(job) }
            return crew.withLock { $0.take(all: &ready) }
        }
    }

    /// Waits for a job without sleeping, as `Poll` says.
    private func poll() {
        let end = Platform.monotonicNanoseconds + Poll.nanoseconds
        repeat {
            if pollIsOver.load(ordering: .relaxed) { break }
        } while Platform.monotonicNanoseconds < end
        crew.withLock { crew in
            crew.poll.end()
            pollIsOver.store(false, ordering: .relaxed)
        }
    }

    /// What each of the threads does.
    private func work() {
        while true {
            switch next() {
            case .run(let job): job.run()
            case .poll: poll()
            case .wait:
                guard let lingering else {
                    call.wait()
                    continue
                }
                guard call.wait(timeout: .now() + lingering) == .timedOut else { continue }
                if crew.withLock({ $0.leave() }) { return }
                call.wait()
            }
        }
    }
}
