package import HostLoop

/// Items that an executor takes, one at a time and in order. Any thread may add items.
package final class ExecutorQueue<Item: Sendable>: Sendable {
    private struct Contents: Sendable {
        var items = FIFO<Item>()
        /// A job of the executor is asked for or runs.
        var isScheduled = false
        /// The main thread has added an item that must be taken before its `add` returns.
        var isUrgent = false
    }

    private let executor: LoopExecutor
    private let isAtOnce: Bool
    private let receive: @Sendable (Item) -> Void
    private let contents = Lock(Contents())

    /// - Parameters:
    ///   - isAtOnce: The executor is `main`, and an item that the main thread adds is taken at once if no
    ///     earlier item waits. An item that it adds while it takes one follows that one.
    ///   - receive: Called on the executor with each item.
    package init(
        on executor: LoopExecutor, isAtOnce: Bool = false, receive: @escaping @Sendable (Item) -> Void
    ) {
        self.executor = executor
        self.isAtOnce = isAtOnce
        self.receive = receive
    }

    /// Adds an item, unless `limit` items wait. Returns whether it was added.
    @discardableResult
    package func add(_ item: Item, limit: Int? = nil) -> Bool {
        let isUrgent = isAtOnce && LoopExecutor.isOnMain
        let (isAdded, begins) = contents.withLock { contents in
            if let limit, contents.items.count >= limit { return (false, false) }
            contents.items.append(item)
            contents.isUrgent = contents.isUrgent || isUrgent
            defer { contents.isScheduled = true }
            return (true, !contents.isScheduled)
        }
        if begins {
            if isUrgent { take() } else { schedule() }
        }
        return isAdded
    }

    private func schedule() {
        executor.run { self.take() }
    }

    /// Takes the items of this moment, and urgent ones. Others get another job, as the executor has other
    /// work.
    private func take() {
        while true {
            var items = contents.withLock { contents in
                contents.isUrgent = false
                defer { contents.items = FIFO() }
                return contents.items
            }
            while let item = items.popFirst() { receive(item) }
            let (hasMore, isUrgent) = contents.withLock { contents in
                contents.isScheduled = !contents.items.isEmpty
                return (contents.isScheduled, contents.isUrgent)
            }
            if isUrgent { continue }
            if hasMore { schedule() }
            return
        }
    }
}
