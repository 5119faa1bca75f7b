import HostLoop
import Synchronization

/// How long one subscription lasts: cancelled from outside, or when it has completed.
///
/// An operator that goes on when its source has completed, or subscribes more than once, gives each source a
/// scope within its own; other operators share the scope of what they are the source of.
final class FlowScope: Sendable {
    private struct Book: Sendable {
        var issued: UInt64 = 0
        var handlers: [UInt64: @Sendable () -> Void] = [:]
        var isCancelled = false
        var outer: (scope: FlowScope, ticket: UInt64)?
    }

    let life: FlowLife
    private let book = Lock(Book())
    private let cancelled = Atomic<Bool>(false)

    init(life: FlowLife) {
        self.life = life
    }

    var clock: any LoopClock { life.clock }
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

    /// Cancels the scope and those within it, in the order in which they were made; repeating it does
    /// nothing.
    func cancel() {
        let (handlers, outer) = book.withLock { book in
            book.isCancelled = true
            cancelled.store(true, ordering: .releasing)
            defer { (book.handlers, book.outer) = ([:], nil) }
            return (book.handlers, book.outer)
        }
        if let outer { outer.scope.forget(outer.ticket) }
        for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler() }
    }

    /// A scope that is cancelled with this one, or alone.
    func within() -> FlowScope {
        let inner = FlowScope(life: life)
        guard let ticket = onCancel({ inner.cancel() }) else { return inner }
        let isLate = inner.book.withLock { book in
            if !book.isCancelled { book.outer = (self, ticket) }
            return book.isCancelled
        }
        if isLate { forget(ticket) }
        return inner
    }

    private func forget(_ ticket: UInt64) {
        let handler = book.withLock { $0.handlers.removeValue(forKey: ticket) }
        withExtendedLifetime(handler) {}
    }
}
