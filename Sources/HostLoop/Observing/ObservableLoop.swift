public import Observation

/// A running loop whose state Swift's `Observation` tracks: what `withObservationTracking` and views read.
///
/// A change is announced when the new state is visible, where the loop delivers it: on its executor, or on
/// the thread that performs the event; observers of the loop are told before, effects run after. So the
/// function that is called on a change may read `state` and finds the new one, or one that is newer still. A
/// class that forwards its `state` to this one's is tracked as well.
///
/// Its last release stops the loop, like that of a `Loop`.
public final class ObservableLoop<State: Sendable, Event: Sendable>: Observable, Sendable {
    /// The loop, for what is not observed.
    public let loop: Loop<State, Event>
    private let signal: StateSignal

    /// Starts a loop.
    /// - Parameter observers: Told everything from the first state on, in this order.
    public init(_ spin: Spin<State, Event>, observers: [any LoopObserver<State, Event>] = []) {
        let signal = StateSignal()
        self.signal = signal
        loop = spin.adding(.announcing { _ in signal.change() }).start(observers: observers)
    }

    /// The current state, performed events included, from any thread; reading it is tracked.
    ///
    /// A precondition failure inside the loop's own reducer.
    public var state: State {
        signal.access()
        return loop.state
    }

    /// Queues an event: see `Loop.emit(_:)`.
    @discardableResult
    public func emit(_ event: Event) -> EmitResult {
        loop.emit(event)
    }

    /// Reduces an event now, on the calling thread: see `Loop.perform(_:)`.
    @discardableResult
    public func perform(_ event: Event) -> EmitResult {
        loop.perform(event)
    }

    /// Stops the loop; the state stays as it is.
    public func stop() {
        loop.stop()
    }
}
