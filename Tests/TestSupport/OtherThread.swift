import Foundation

/// Runs code on a thread of its own: those of `DispatchQueue.global()` are the ones that tests run on, and may
/// all be blocked.
public enum OtherThread {
    /// Starts a thread that calls `body` and ends.
    public static func start(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread(body)
    }
}
