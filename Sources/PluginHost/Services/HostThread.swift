import Glibc

/// Threads for code that may block as long as it likes, as functions of plugins may.
public enum HostThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Calls `body` on a thread that ends when it returns; false when the system has none, and `body` is not called.
    public static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        // Safe because the thread takes the object over, or else it is released here.
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
