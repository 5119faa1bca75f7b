import Synchronization

/// The life of one subscription to a flow: when it is cancelled, and what it takes its time from.
///
/// A subscription within another one has a scope within that one's, so that it can end alone.
final class FlowScope: Sendable {
    private struct Book: Sendable {
        var issued: UInt64 = 0
        var handlers: [UInt64: @Sendable () -> Void] = [:]
        var isCancelled = false
    }

    let clock: any LoopClock
    private let book = Lock(Book())
    private let cancelled = Atomic<Bool>(false)

    init(clock: any LoopClock) {
        self.clock = clock
    }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Calls `handler` once when the scope is cancelled, on the thread that cancels it; at once if it is
    /// already.
    /// - Returns: what takes the handler back; nil if it was called.
    @discardableResult
    func onCancel(_ handler: @escaping @Sendable () -> Void) -> UInt64? {
        let ticket = book.withLock { book -> UInt64? in
            guard !book.isCancelled else { return nil }
            book.issued += 1
            book.handlers[book.issued] = handler
            return book.issued
        }
        if ticket == nil { handler() }
        return ticket
    }

    /// Forgets a handler.
    func forget(_ ticket: UInt64?) {
        guard let ticket else { return }
        let handler = book.withLock { $0.handlers.removeValue(forKey: ticket) }
        withExtendedLifetime(handler) {}
    }

    /// Cancels the scope and those within it; repeating it does nothing.
    func cancel() {
        let handlers = book.withLock { book -> [UInt64: @Sendable () -> Void] in
            book.isCancelled = true
            cancelled.store(true, ordering: .releasing)
            defer { book.handlers = [:] }
            return book.handlers
        }
        for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler() }
    }

    /// A scope that is cancelled with this one, or alone.
    func within() -> FlowScope.Inner {
        let scope = FlowScope(clock: clock)
        return Inner(scope: scope, outer: self, ticket: onCancel { scope.cancel() })
    }

    /// A scope within another one.
    struct Inner: Sendable {
        let scope: FlowScope
        let outer: FlowScope
        let ticket: UInt64?

        /// Lets the outer scope forget the inner one, whose subscription has ended.
        func detach() {
            outer.forget(ticket)
        }
    }
}
