@testable import HostLoop

/// Holds tasks until it is opened, once and for all.
final class AsyncGate: Sendable {
    private struct Contents: Sendable {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let contents = Lock(Contents())

    func open() {
        let waiters = contents.withLock { contents in
            contents.isOpen = true
            defer { contents.waiters = [] }
            return contents.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = contents.withLock { contents in
                if !contents.isOpen { contents.waiters.append(continuation) }
                return contents.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
