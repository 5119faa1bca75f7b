/// A first-in, first-out queue of values in one array, for the queues that are not the loop's hot path.
struct FIFO<Element> {
    private var elements: ContiguousArray<Element?> = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { head == elements.count }
    /// Copies of all elements, in order.
    var all: [Element] { elements[head...].compactMap { $0 } }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head].take()
        head += 1
        if head == elements.count {
            // The capacity of a burst is not worth keeping, that of ordinary traffic is.
            elements.removeAll(keepingCapacity: elements.capacity <= 64)
            head = 0
        } else if head >= 32, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    mutating func removeAll() {
        elements = []
        head = 0
    }
}

extension FIFO: Sendable where Element: Sendable {}
