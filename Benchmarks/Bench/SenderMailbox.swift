import Synchronization

/// The reference of rows L1 and L4: a loop written by hand for one state and one event. A sender appends its
/// event to an array under a lock. A sender that finds the loop idle drains it, and takes all events by
/// swapping two arrays.
// Safe because the inbox is behind its lock, and the rest is touched only by the one thread that drains.
final class SenderMailbox: @unchecked Sendable {
    private struct Inbox: Sendable {
        var events: [Counting.Event] = []
        var isDraining = false
    }

    private let inbox = Mutex(Inbox())
    private let reduce: Counting.Reduce
    private let effect: Counting.Effect
    @safe @exclusivity(unchecked) private var batch: [Counting.Event] = []
    @safe @exclusivity(unchecked) private var state = Counting.State()

    /// Not inlined, so that the loop knows as little of reducer and effect as a library does.
    @inline(never)
    init(_ counting: Counting) {
        reduce = counting.reduce
        effect = counting.effect
    }

    /// Shows the initial state to the effect.
    func start() {
        if let event = effect(state) { emit(event) }
    }

    func emit(_ event: Counting.Event) {
        let wasIdle = inbox.withLock { inbox in
            inbox.events.append(event)
            defer { inbox.isDraining = true }
            return !inbox.isDraining
        }
        if wasIdle { drain() }
    }

    private func drain() {
        while true {
            let isIdle = inbox.withLock { inbox in
                swap(&inbox.events, &batch)
                inbox.isDraining = !batch.isEmpty
                return batch.isEmpty
            }
            if isIdle { return }
            for event in batch where reduce(&state, event) {
                if let next = effect(state) { emit(next) }
            }
            batch.removeAll(keepingCapacity: true)
        }
    }
}
