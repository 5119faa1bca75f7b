import HostLoop
import Synchronization

/// Where the messages of a run can be watched. While nobody watches, a message costs one look at a flag.
final class MessageTap: Sendable {
    private let isOpen = Atomic<Bool>(false)
    private let watcher = Lock<(@Sendable (AppMessage) -> Void)?>(nil)

    /// Has each message passed to `body` from now on; nil: to nobody.
    func watch(_ body: (@Sendable (AppMessage) -> Void)?) {
        watcher.withLock { $0 = body }
        isOpen.store(body != nil, ordering: .relaxed)
    }

    /// A message was sent.
    @inline(__always)
    func sent(_ message: AppMessage) {
        if isOpen.load(ordering: .relaxed) { pass(message) }
    }

    @inline(never)
    private func pass(_ message: AppMessage) { watcher.withLock { $0 }?(message) }
}
