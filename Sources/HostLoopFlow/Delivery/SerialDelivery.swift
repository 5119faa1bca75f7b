import HostLoop

/// Hands items over one at a time, in the order in which they came, from whatever threads they come.
///
/// Whoever finds it idle delivers what others add meanwhile; what is added within a delivery waits for its
/// end. No lock is held while an item is delivered.
package final class SerialDelivery<Item: Sendable>: Sendable {
    private enum Entry: Sendable {
        case item(Item)
        /// A task that waits for its turn.
        case turn(CheckedContinuation<Void, Never>)
    }

    private struct Queue: Sendable {
        var entries = FIFO<Entry>()
        var isDelivering = false
    }

    private let queue = Lock(Queue())

    package init() {}

    package func add(_ item: Item, deliver: (Item) -> Void) {
        let delivers = queue.withLock { queue in
            queue.entries.append(.item(item))
            defer { queue.isDelivering = true }
            return !queue.isDelivering
        }
        if delivers { pass(deliver: deliver) }
    }

    /// Waits until the caller alone delivers, which it does until it calls `pass`.
    func takeTurn() async {
        if queue.withLock({ Self.begins(&$0) }) { return }
        await withCheckedContinuation { continuation in
            let begins = queue.withLock { queue in
                let begins = Self.begins(&queue)
                if !begins { queue.entries.append(.turn(continuation)) }
                return begins
            }
            if begins { continuation.resume() }
        }
    }

    /// Hands over what was added meanwhile, up to the turn of a task that waits.
    func pass(deliver: (Item) -> Void) {
        while let item = next() { deliver(item) }
    }

    private static func begins(_ queue: inout Queue) -> Bool {
        defer { queue.isDelivering = true }
        return !queue.isDelivering
    }

    private func next() -> Item? {
        let entry = queue.withLock { queue in
            let entry = queue.entries.popFirst()
            queue.isDelivering = entry != nil
            return entry
        }
        switch entry {
        case .item(let item): return item
        case .turn(let continuation):
            continuation.resume()
            return nil
        case nil: return nil
        }
    }
}
