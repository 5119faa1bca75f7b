import Dispatch

/// Holds threads until it is opened; what was not held yet passes then, once per opening.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }
    func pass() { semaphore.wait() }
}
