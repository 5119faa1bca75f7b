/// A first-in, first-out queue of values in one array, for the queues that are not the loop's hot path.
@usableFromInline
package struct FIFO<Element> {
    @usableFromInline var elements: ContiguousArray<Element?> = []
    @usableFromInline var head = 0

    @inlinable package var count: Int { elements.count - head }
    @inlinable package var isEmpty: Bool { head == elements.count }
    package var first: Element? { isEmpty ? nil : elements[head] }
    package var last: Element? { isEmpty ? nil : elements[elements.count - 1] }
    /// Copies of all elements, in order.
    package var all: [Element] { elements[head...].compactMap { $0 } }

    @inlinable
    package init() {}

    @inlinable
    package mutating func append(_ element: Element) {
        elements.append(element)
    }

    @inlinable
    package mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head].take()
        head += 1
        if head == elements.count {
            // The queue keeps the capacity that ordinary traffic needs, and frees that of a burst.
            elements.removeAll(keepingCapacity: elements.capacity <= 64)
            head = 0
        } else if head >= 32, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return first
    }

    @inlinable
    package mutating func removeAll() {
        elements = []
        head = 0
    }
}

extension FIFO: Sendable where Element: Sendable {}
