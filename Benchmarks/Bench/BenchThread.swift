import Glibc

/// A thread that runs one closure.
struct BenchThread {
    private let thread: pthread_t

    init(_ body: @escaping @Sendable () -> Void) throws {
        var thread = pthread_t()
        // Safe because the box is retained for the thread, which releases it.
        let box = unsafe Unmanaged.passRetained(Box(body)).toOpaque()
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                // Safe because the argument is the box above; nobody else takes it.
                if let argument = unsafe argument {
                    unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                }
                return nil
            }, box)
        guard status == 0 else { throw BenchFault("cannot start a thread") }
        self.thread = thread
    }

    /// Waits until the closure has returned.
    func join() {
        pthread_join(thread, nil)
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
