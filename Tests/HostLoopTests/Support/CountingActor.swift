import Dispatch
import Synchronization

/// An actor on a queue of its own, which counts its jobs.
actor CountingActor {
    private final class Executor: SerialExecutor {
        let jobs = Atomic(0)
        private let queue = DispatchQueue(label: "actor")

        func enqueue(_ job: consuming ExecutorJob) {
            jobs.add(1, ordering: .relaxed)
            let job = UnownedJob(job)
            // Safe because the closure keeps the executor.
            queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private let executor = Executor()

    // Safe because the actor keeps its executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// How often `body` comes back to the actor: never, if it does not leave it. To leave it takes a thread of Swift's pool.
    func returns(of body: @Sendable (isolated CountingActor) async -> Void) async -> Int {
        let before = executor.jobs.load(ordering: .relaxed)
        await body(self)
        return executor.jobs.load(ordering: .relaxed) - before
    }
}
