import Dispatch

/// Blocks threads until it is opened. If no thread is blocked when it opens, the next thread passes; once per
/// opening.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }
    func pass() { semaphore.wait() }
}
