import HostLoop

/// The loop of a `UISpin`, whenever it runs: what bindings keep, which so keep nothing running.
final class UISpinLoop<State: Sendable, Event: Sendable>: Sendable {
    private struct Book: Sendable {
        var views: [Feedback<State, Event>] = []
        /// The loop that runs, or the last one that did.
        var loop: Loop<State, Event>?
        var isRunning = false
    }

    let spin: Spin<State, Event>
    private let signal = StateSignal()
    private let book = Lock(Book())

    init(_ spin: Spin<State, Event>) {
        self.spin = spin
    }

    private var loop: Loop<State, Event>? { book.withLock { $0.loop } }

    var state: State {
        signal.access()
        return loop?.state ?? spin.initialState
    }

    func add(_ view: Feedback<State, Event>) {
        let isAdded = book.withLock { book in
            if !book.isRunning { book.views.append(view) }
            return !book.isRunning
        }
        precondition(isAdded, "a UISpin was given something to render on after `start()`")
    }

    func start() {
        // Known before it runs, so that its own views may emit into it.
        let (loop, last) = book.withLock { book -> (Loop<State, Event>?, Loop<State, Event>?) in
            guard !book.isRunning else { return (nil, nil) }
            let announcing = Feedback<State, Event>.announcing { [signal] _ in signal.change() }
            let loop = spin.preceded(by: book.views + [announcing]).makeLoop()
            defer { (book.loop, book.isRunning) = (loop, true) }
            return (loop, book.loop)
        }
        guard let loop else { return }
        if last != nil { signal.change() }
        loop.begin()
    }

    func stop() {
        let loop = book.withLock { book in
            book.isRunning = false
            return book.loop
        }
        loop?.stop()
    }

    func emit(_ event: Event) -> EmitResult {
        loop?.emit(event) ?? .stopped
    }
}
