@testable import HostLoop

/// Holds tasks until it is opened, once and for all.
final class AsyncGate: Sendable {
    private struct Book: Sendable {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let book = Lock(Book())

    func open() {
        let waiters = book.withLock { book in
            book.isOpen = true
            defer { book.waiters = [] }
            return book.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = book.withLock { book in
                if !book.isOpen { book.waiters.append(continuation) }
                return book.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
