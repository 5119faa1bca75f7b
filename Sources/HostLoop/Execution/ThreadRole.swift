import Glibc

/// The kinds of threads that this module starts; each finds its work in a static place, so nothing is handed
/// over.
enum ThreadRole: Sendable {
    case pool
    case blocking

    /// Starts a detached thread; false when the system gives none.
    func startThread() -> Bool {
        var thread = pthread_t()
        // Safe because the thread gets no argument and returns none.
        let failure =
            switch self {
            case .pool:
                unsafe pthread_create(
                    &thread, nil,
                    { _ in
                        WorkerThreads.shared.work()
                        return nil
                    }, nil)
            case .blocking:
                unsafe pthread_create(
                    &thread, nil,
                    { _ in
                        WorkerThreads.blocking.work()
                        return nil
                    }, nil)
            }
        guard failure == 0 else { return false }
        pthread_detach(thread)
        return true
    }
}
