import Synchronization

/// What is called when a run is cancelled.
@usableFromInline
struct CancelHandler: Sendable {
    private let body: @Sendable () -> Void
    /// Says that there is nothing left to call it for; nil: that is never so.
    private let spent: Spent?

    @usableFromInline
    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        spent = nil
    }

    init(until spent: Spent, _ body: @escaping @Sendable () -> Void) {
        self.body = body
        self.spent = spent
    }

    @usableFromInline
    func callAsFunction() {
        body()
    }

    /// Set by whoever made a handler that is not needed any more.
    final class Spent: Sendable {
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
        let spent = filter { $0.isSpent }
        removeAll { $0.isSpent }
        return spent
    }
}

extension CancelHandler {
    fileprivate var isSpent: Bool { spent?.isSet ?? false }
}
