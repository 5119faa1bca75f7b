public import Observation

/// A loop whose state Swift's `Observation` tracks, for `withObservationTracking` and views.
///
/// The loop announces a change when the new state is visible: on its executor, or on the thread that performs the
/// event. Observers of the loop see the state before that, effects after it. So the function that a change calls may
/// read `state`, and finds the new state or a newer one. A class that forwards its `state` to this one is tracked as
/// well.
///
/// Its last release stops the loop, like that of a `Loop`.
public final class ObservableLoop<State: Sendable, Event: Sendable>: Observable, Sendable {
    package let source: ObservedLoop<State, Event>

    /// Starts a loop.
    /// - Parameter observers: The loop notifies them of everything from the first state on, in this order.
    public convenience init(
        _ spin: Spin<State, Event>, observers: [any LoopObserver<State, Event>] = []
    ) {
        self.init(notStarted: spin, observers: observers)
        start()
    }

    /// Makes a loop that `start()` starts.
    package init(notStarted spin: Spin<State, Event>, observers: [any LoopObserver<State, Event>] = []) {
        source = ObservedLoop(spin, observers: observers)
    }

    deinit {
        source.loop.release()
    }

    /// The loop, for access without tracking. Each `start()` makes another loop.
    public var loop: Loop<State, Event> { source.loop }

    /// The current state, including performed events, from any thread; a read is tracked.
    ///
    /// Before the start it is the initial state, after the end the last one. A precondition failure inside the loop's
    /// own reducer.
    public var state: State { source.state }

    /// Queues an event, from any thread: see `Loop.emit(_:)`.
    /// - Returns: `.stopped` before the start, too.
    @discardableResult
    public func emit(_ event: Event) -> EmitResult {
        source.emit(event)
    }

    /// Reduces an event now, on the calling thread: see `Loop.perform(_:)`.
    /// - Returns: `.stopped` before the start, too.
    @discardableResult
    public func perform(_ event: Event) -> EmitResult {
        source.running?.perform(event) ?? .stopped
    }

    /// Starts a loop from the initial state. Does nothing if it was started before and not stopped by `stop()`, even if
    /// the loop has ended by itself.
    public func start() {
        source.start()
    }

    /// Stops the loop and starts another one from `state`: puts it back to an earlier state, or restores a saved one.
    ///
    /// Effects of the old loop are cancelled, and its queued events are discarded. The new loop starts the effects that
    /// `state` asks for; see `Spin.starting(from:)`. `start()` after a `stop()` begins with the spin's own state again.
    public func restart(from state: State) {
        stop()
        source.start(from: state)
    }

    /// Stops the loop. The state stays as it is until the next start.
    public func stop() {
        source.stop()
    }
}

/// The contents of an `ObservableLoop`. Bindings refer to these, so that they do not keep the loop running.
package final class ObservedLoop<State: Sendable, Event: Sendable>: Sendable {
    private struct Status: Sendable {
        var views: [Feedback<State, Event>] = []
        var loop: Loop<State, Event>
        var isRunning = false
        /// How often the loop was started.
        var starts = 0
    }

    private let spin: Spin<State, Event>
    private let observers: [any LoopObserver<State, Event>]
    private let signal = StateSignal()
    /// The states of all loops, one loop after the other.
    package let states = Gear<State>(replaying: 1)
    /// The handled events of all loops.
    package let events = Gear<Event>()
    private let status: Lock<Status>

    init(_ spin: Spin<State, Event>, observers: [any LoopObserver<State, Event>]) {
        self.spin = spin
        self.observers = observers
        status = Lock(Status(loop: spin.makeLoop()))
        states.propagate(event: spin.initialState)
    }

    var loop: Loop<State, Event> { status.withLock(\.loop) }

    var running: Loop<State, Event>? { status.withLock { $0.isRunning ? $0.loop : nil } }

    package var state: State {
        signal.access()
        return loop.state
    }

    package func emit(_ event: Event) -> EmitResult {
        running?.emit(event) ?? .stopped
    }

    /// Adds a feedback of a view, which comes before those of the spin. Returns false while the loop is started.
    package func add(_ view: Feedback<State, Event>) -> Bool {
        status.withLock { status in
            if !status.isRunning { status.views.append(view) }
            return !status.isRunning
        }
    }

    func start(from state: State? = nil) {
        let initialState = state ?? spin.initialState
        // The loop is known before it begins, so that its views may emit into it.
        let (loop, old, starts) = status.withLock {
            status -> (Loop<State, Event>?, Loop<State, Event>?, Int) in
            guard !status.isRunning else { return (nil, nil, 0) }
            let announcing = Feedback<State, Event>.announcing { [signal, states, events] state, event in
                signal.change()
                states.propagate(event: state)
                events.propagate(event: event)
            }
            let loop = spin.starting(from: initialState).preceded(by: status.views).adding(announcing)
                .makeLoop(observers: observers)
            let old = status.loop
            (status.loop, status.isRunning, status.starts) = (loop, true, status.starts + 1)
            return (loop, old, status.starts)
        }
        guard let loop else { return }
        // The first start leaves the spin's own state as it is.
        if starts > 1 || state != nil {
            signal.change()
            states.propagate(event: initialState)
        }
        withExtendedLifetime(old) { loop.begin() }
    }

    func stop() {
        let loop = status.withLock { status in
            status.isRunning = false
            return status.loop
        }
        loop.stop()
    }
}
