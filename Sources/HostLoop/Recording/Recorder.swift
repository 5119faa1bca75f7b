/// An observer that records the events and states of a loop; pass it to `Spin.start(observers:)`.
///
/// It must observe one loop at a time. The start of another loop begins a new recording.
public final class Recorder<State: Sendable, Event: Sendable>: LoopObserver {
    private struct Storage: Sendable {
        var initialState: State?
        var entries = FIFO<Recording<State, Event>.Entry>()
        var dropped: UInt64 = 0
    }

    private let limit: Int
    private let storage = Lock(Storage())

    /// Makes a recorder.
    /// - Parameter limit: The number of newest entries to keep, at least 1, which bounds the memory of a long
    ///   run; nil keeps all.
    public init(keepingLast limit: Int? = nil) {
        precondition(limit ?? 1 > 0, "a recorder must keep at least one entry")
        self.limit = limit ?? .max
    }

    /// The recording so far, from any thread; nil before the loop has begun.
    public var recording: Recording<State, Event>? {
        storage.withLock { storage in
            storage.initialState.map {
                Recording(initialState: $0, entries: storage.entries.all, dropped: storage.dropped)
            }
        }
    }

    /// Begins a new recording.
    public func started(_ state: State) {
        let before = storage.withLock { storage in
            let before = storage
            storage = Storage(initialState: state)
            return before
        }
        withExtendedLifetime(before) {}
    }

    /// Records a handled event.
    public func stepped(_ step: LoopStep<State, Event>) {
        append(Recording.Entry(event: step.event, run: step.origin.run, state: step.after))
    }

    /// Records an event that was not handled.
    public func unhandled(_ event: Event, from origin: EventOrigin) {
        append(Recording.Entry(event: event, run: origin.run, state: nil))
    }

    private func append(_ entry: Recording<State, Event>.Entry) {
        // The removed values are released outside the lock.
        let removed = storage.withLock { storage -> (Recording<State, Event>.Entry?, State?) in
            storage.entries.append(entry)
            guard storage.entries.count > limit, let first = storage.entries.popFirst() else {
                return (nil, nil)
            }
            storage.dropped += 1
            let before = storage.initialState
            if let state = first.state { storage.initialState = state }
            return (first, before)
        }
        withExtendedLifetime(removed) {}
    }
}
