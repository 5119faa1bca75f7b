import Synchronization

/// What is called when a run is cancelled.
@usableFromInline
struct CancelHandler: Sendable {
    private let body: @Sendable () -> Void
    /// Says that there is nothing left to call it for; nil: that is never so.
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

    /// Set by whoever made a handler that is not needed any more.
    final class Expiry: Sendable {
        private let flag = Atomic<Bool>(false)

        var isSet: Bool { flag.load(ordering: .relaxed) }

        func set() {
            flag.store(true, ordering: .relaxed)
        }
    }
}

extension [CancelHandler] {
    /// Adds a handler, and answers those that it finds spent, to be released outside of locks: so a run that
    /// waits for one timer after another remembers a few of them, not all.
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
