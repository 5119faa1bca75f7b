/// Hands items over one at a time, in the order in which they came, from whatever threads they come.
///
/// Whoever finds it idle delivers what others add meanwhile; what is added within a delivery waits for its
/// end. No lock is held while an item is delivered.
final class SerialDelivery<Item: Sendable>: Sendable {
    private struct Queue: Sendable {
        var items = FIFO<Item>()
        var isDelivering = false
    }

    private let queue = Lock(Queue())

    func add(_ item: Item, deliver: (Item) -> Void) {
        let delivers = queue.withLock { queue in
            queue.items.append(item)
            defer { queue.isDelivering = true }
            return !queue.isDelivering
        }
        guard delivers else { return }
        while let next = next() { deliver(next) }
    }

    private func next() -> Item? {
        queue.withLock { queue in
            let item = queue.items.popFirst()
            queue.isDelivering = item != nil
            return item
        }
    }
}
