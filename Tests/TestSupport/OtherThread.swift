import Foundation

/// Runs code on a thread of its own. Tests run on the threads of `DispatchQueue.global()`, and may block all
/// of them.
public enum OtherThread {
    /// Starts a thread that calls `body` and ends.
    public static func start(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread(body)
    }

    /// Runs `body` on another thread and returns its result. The thread has ended then, with all its
    /// destructors.
    public static func result<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) throws -> Result {
        let answer = Answer<Result>()
        let work = Work { answer.value = Swift.Result { try body() } }
        var thread = pthread_t()
        // Safe because the object lives until the thread has ended.
        let failure = unsafe pthread_create(
            &thread, nil,
            { argument in
                unsafe Unmanaged<Work>.fromOpaque(argument!).takeUnretainedValue().body()
                return nil
            }, Unmanaged.passUnretained(work).toOpaque())
        precondition(failure == 0, "a thread can be made")
        pthread_join(thread, nil)
        withExtendedLifetime(work) {}
        return try answer.value!.get()
    }

    private final class Work {
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }
    }

    private final class Answer<Value> {
        var value: Result<Value, any Error>?
    }
}
