import Synchronization

/// A function that the loop calls when a run is cancelled.
@usableFromInline
struct CancelHandler: Sendable {
    private let body: @Sendable () -> Void
    /// Set once the handler is not needed any more; nil for a handler that is always needed.
    private let expiry: Expiry?

    @usableFromInline
    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        expiry = nil
    }

    init(until expiry: Expiry, _ body: @escaping @Sendable () -> Void) {
        self.body = body
        self.expiry = expiry
    }

    @usableFromInline
    func callAsFunction() {
        body()
    }

    /// A flag that the owner of a handler sets once the handler is not needed any more.
    final class Expiry: Sendable {
        private let flag = Atomic<Bool>(false)

        var isSet: Bool { flag.load(ordering: .relaxed) }

        func set() {
            flag.store(true, ordering: .relaxed)
        }
    }
}

extension [CancelHandler] {
    /// Adds a handler, and removes expired ones. A run that waits for one timer after another thus keeps a
    /// few handlers, not all.
    /// - Returns: The expired handlers, which the caller must release outside of locks.
    mutating func add(_ handler: CancelHandler) -> [CancelHandler] {
        defer { append(handler) }
        guard count >= 16, count.nonzeroBitCount == 1 else { return [] }
        let expired = filter { $0.isExpired }
        removeAll { $0.isExpired }
        return expired
    }
}

extension CancelHandler {
    fileprivate var isExpired: Bool { expiry?.isSet ?? false }
}
