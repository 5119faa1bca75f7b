/// Records what a loop reduces; given to `Spin.start(observers:)`.
///
/// It belongs to one loop at a time: with a second start the recording begins anew.
public final class Recorder<State: Sendable, Event: Sendable>: LoopObserver {
    private struct Book: Sendable {
        var initialState: State?
        var entries = FIFO<Recording<State, Event>.Entry>()
        var dropped: UInt64 = 0
    }

    private let limit: Int
    private let book = Lock(Book())

    /// Makes a recorder.
    /// - Parameter limit: How many of the newest entries are kept, at least 1, so that a long run does not fill
    ///   the memory; nil keeps all.
    public init(keepingLast limit: Int? = nil) {
        precondition(limit ?? 1 > 0, "a recorder must keep at least one entry")
        self.limit = limit ?? .max
    }

    /// What was recorded so far, from any thread; nil before the loop has begun.
    public var recording: Recording<State, Event>? {
        book.withLock { book in
            book.initialState.map {
                Recording(initialState: $0, entries: book.entries.all, dropped: book.dropped)
            }
        }
    }

    /// Begins anew.
    public func started(_ state: State) {
        let before = book.withLock { book in
            let before = book
            book = Book(initialState: state)
            return before
        }
        withExtendedLifetime(before) {}
    }

    /// Records a handled event.
    public func stepped(_ step: LoopStep<State, Event>) {
        keep(Recording.Entry(event: step.event, run: step.origin.run, state: step.after))
    }

    /// Records an event that was not handled.
    public func unhandled(_ event: Event, from origin: EventOrigin) {
        keep(Recording.Entry(event: event, run: origin.run, state: nil))
    }

    private func keep(_ entry: Recording<State, Event>.Entry) {
        // What leaves is released outside the lock.
        let leaving = book.withLock { book -> (Recording<State, Event>.Entry?, State?) in
            book.entries.append(entry)
            guard book.entries.count > limit, let first = book.entries.popFirst() else { return (nil, nil) }
            book.dropped += 1
            let before = book.initialState
            if let state = first.state { book.initialState = state }
            return (first, before)
        }
        withExtendedLifetime(leaving) {}
    }
}
