import HostLoop
import PluginHost

/// Threads of a worker for calls that last. An idle thread takes the next one. May be used from any thread.
final class JobThreads: Sendable {
    private struct State {
        var waiting = FIFO<@Sendable () -> Void>()
        var idle = 0
        var threads = 0
    }

    private let state = Lock(State())
    private let bell = Bell()

    /// More threads than this make no calls at once; the others wait.
    private static let most = 512

    /// Does a job on a thread of its own, or when a thread is free.
    func start(_ job: @escaping @Sendable () -> Void) {
        let isNew = state.withLock { state in
            state.waiting.append(job)
            guard state.idle < state.waiting.count, state.threads < Self.most else { return false }
            state.threads += 1
            return true
        }
        guard isNew else { return bell.ring(all: false) }
        // The system has no thread left: this one does it.
        if !HostThread.start({ [self] in run() }) {
            state.withLock { $0.threads -= 1 }
            if let job = state.withLock({ $0.waiting.popFirst() }) { job() }
        }
    }

    private func run() {
        while true {
            let rings = bell.rings
            let job = state.withLock { state in
                if let job = state.waiting.popFirst() { return Optional(job) }
                state.idle += 1
                return nil
            }
            if let job {
                job()
                continue
            }
            bell.wait(beyond: rings)
            state.withLock { $0.idle -= 1 }
        }
    }
}
