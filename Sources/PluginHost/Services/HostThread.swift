import Glibc

/// Threads for code that may block as long as it likes, as functions of plugins may.
public enum HostThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Calls `body` on a new thread, which ends when it returns.
    ///
    /// - Returns: false when the system has no thread left; `body` is not called then.
    public static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        // Safe because the new thread releases the object, and this function does if there is no thread.
        let work = unsafe Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let answer = unsafe pthread_create(
            &thread, nil,
            { argument in
                let work = unsafe Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue()
                work.body()
                return nil
            }, work.toOpaque())
        guard answer == 0 else {
            unsafe work.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
