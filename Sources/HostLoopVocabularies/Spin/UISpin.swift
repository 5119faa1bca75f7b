public import HostLoop
public import Observation

/// A spin with a user interface: views that show its states, and users who emit events.
///
///     uiSpin = UISpin(spin: counterSpin)
///     uiSpin.render(on: self, using: { $0.render(state:) })
///     uiSpin.start()
///     uiSpin.emit(.startCounter)
///
/// A view is any object. Unlike the original, nothing hops to the main thread unless `render` says so, and
/// the feedbacks of the views, which come before the spin's own, see every state before its effects run.
/// Releasing the `UISpin` stops its loop.
public final class UISpin<State: Sendable, Event: Sendable>: Observable, Sendable {
    private let loop: UISpinLoop<State, Event>

    /// Makes the user interface of a spin; nothing runs until `start()`.
    public init(spin: Spin<State, Event>) {
        loop = UISpinLoop(spin)
    }

    deinit {
        loop.stop()
    }

    /// The current state, from any thread: the initial one before the start, the last one after the end.
    ///
    /// Reading it is tracked by `Observation`; each new state is announced when it is visible, equal to the
    /// one before or not, where the loop runs. A precondition failure inside the spin's own reducer.
    public var state: State { loop.state }

    /// Shows every state of the loop, the initial one first, in order and none left out, on an object, which
    /// is not kept: once it is gone nothing is shown any more.
    ///
    /// Each call adds one more object, where the original's replaces the one before. A precondition failure
    /// between `start()` and `stop()`.
    /// - Parameters:
    ///   - container: What is handed to `function` for as long as it exists.
    ///   - function: Answers the method to call: `{ $0.render(state:) }`.
    ///   - executor: Where that happens: `.main` for views that must be touched there; nil is the loop's own.
    public func render<Container: AnyObject & Sendable>(
        on container: Container, using function: @escaping @Sendable (Container) -> (State) -> Void,
        executeOn executor: LoopExecutor? = nil
    ) {
        loop.add(
            Feedback(
                render: { [weak container] state in
                    if let container { function(container)(state) }
                }
            ).moved(to: executor))
    }

    /// Starts a loop from the initial state; does nothing once it was started, until `stop()`, also when the
    /// loop has ended by itself.
    public func start() {
        loop.start()
    }

    /// Stops the loop; the state stays as it is, until the next start.
    public func stop() {
        loop.stop()
    }

    /// Queues a user's event, from any thread; never waits and never runs the loop's code
    /// (`LoopExecutor.caller` excepted).
    /// - Returns: what `Loop.emit(_:)` answers; `.stopped` before the start too, where the original loses the
    ///   event without a word.
    @discardableResult
    public func emit(_ event: Event) -> EmitResult {
        loop.emit(event)
    }

    // MARK: - Bindings

    /// A binding that reads a part of the state, and emits what `event` makes of a value that it is set to.
    ///
    /// It keeps neither the `UISpin` nor a loop running.
    public func binding<Value>(
        for keyPath: any KeyPath<State, Value> & Sendable, event: @escaping @Sendable (Value) -> Event
    ) -> Binding<Value> {
        Binding(
            get: { [loop] in loop.state[keyPath: keyPath] }, set: { [loop] in _ = loop.emit(event($0)) })
    }

    /// A binding that reads a part of the state, and emits `event` when it is set, whatever it is set to.
    public func binding<Value>(
        for keyPath: any KeyPath<State, Value> & Sendable, event: Event
    ) -> Binding<Value> {
        binding(for: keyPath, event: { _ in event })
    }
}

/// The same as `UISpin`: in the original the class whose state SwiftUI observes, published on the main thread
/// and only if it differs. Here both are observed, through `Observation`, and every state is announced.
public typealias SwiftUISpin<State: Sendable, Event: Sendable> = UISpin<State, Event>
