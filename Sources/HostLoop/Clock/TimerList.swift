/// Scheduled actions by their instants, or by the order of scheduling when these are equal. It is a binary
/// heap.
package struct TimerList: Sendable {
    /// Names one scheduled action.
    package typealias Ticket = UInt64

    private struct Timer: Sendable {
        var instant: LoopInstant
        var ticket: Ticket

        func isBefore(_ other: Timer) -> Bool {
            instant == other.instant ? ticket < other.ticket : instant < other.instant
        }
    }

    private var heap: [Timer] = []
    /// A timer in the heap that has no entry here was removed.
    private var actions: [Ticket: @Sendable () -> Void] = [:]
    private var issued: Ticket = 0

    package init() {}

    /// The number of actions that wait.
    package var count: Int { actions.count }

    /// The instant of the first action.
    package var next: LoopInstant? {
        mutating get {
            dropRemoved()
            return heap.first?.instant
        }
    }

    package mutating func add(at instant: LoopInstant, _ action: @escaping @Sendable () -> Void) -> Ticket {
        issued += 1
        actions[issued] = action
        heap.append(Timer(instant: instant, ticket: issued))
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
        return issued
    }

    /// Removes an action and returns it, since the holder of a lock must not release the values that the
    /// action captured.
    @discardableResult
    package mutating func remove(_ ticket: Ticket) -> (@Sendable () -> Void)? {
        let action = actions.removeValue(forKey: ticket)
        // Timers that are cancelled before they are due must not accumulate.
        if heap.count > 64, heap.count > 2 * actions.count {
            heap = heap.filter { actions[$0.ticket] != nil }.sorted { $0.isBefore($1) }
        }
        return action
    }

    /// Removes and returns the first action that is due at `now`.
    package mutating func takeDue(at now: LoopInstant) -> (@Sendable () -> Void)? {
        dropRemoved()
        guard let first = heap.first, first.instant <= now else { return nil }
        removeFirst()
        return actions.removeValue(forKey: first.ticket)
    }

    private mutating func dropRemoved() {
        while let first = heap.first, actions[first.ticket] == nil { removeFirst() }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
