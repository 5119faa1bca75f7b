public import HostLoop

/// A spin with a user interface, by its name in Spin.Swift: views that show its states, and users who emit
/// events.
///
///     uiSpin = UISpin(spin: counterSpin)
///     uiSpin.render(on: self, using: { $0.render(state:) })
///     uiSpin.start()
///     uiSpin.emit(.startCounter)
///
/// A view is any object. Unlike the original, nothing hops to the main thread unless `render` says so. The
/// feedbacks of the views come before those of the spin: views see each state before its effects run.
/// Releasing the `UISpin` stops its loop.
public typealias UISpin<State: Sendable, Event: Sendable> = ObservableLoop<State, Event>

/// The class whose state SwiftUI observes in Spin.Swift: the same as `UISpin` here. The original publishes on
/// the main thread, and only states that differ. Here every state is announced, where the loop runs.
public typealias SwiftUISpin<State: Sendable, Event: Sendable> = ObservableLoop<State, Event>

extension ObservableLoop {
    /// Makes the user interface of a spin; nothing runs until `start()`.
    public convenience init(spin: Spin<State, Event>) {
        self.init(notStarted: spin)
    }

    /// Makes the user interface of a spin; nothing runs until `start()`.
    /// - Parameter extraRenderStateFunction: Called for each state, the initial one first, when `state` has it.
    ///   On the loop's executor.
    public convenience init(
        spin: Spin<State, Event>, extraRenderStateFunction: @escaping @Sendable () -> Void
    ) {
        self.init(spin: spin)
        _ = source.add(Feedback(render: { _ in extraRenderStateFunction() }))
    }

    /// Shows every state of the loop on an object: the initial one first, in order, without a gap. The object
    /// is not kept. Once it is gone, nothing is shown.
    ///
    /// Each call adds one more object; in the original it replaces the one before. A precondition failure
    /// between `start()` and `stop()`.
    /// - Parameters:
    ///   - container: The argument of `function`, as long as it exists.
    ///   - function: Returns the method to call: `{ $0.render(state:) }`.
    ///   - executor: Where that happens: `.main` for views that must be used there; nil is the loop's own.
    public func render<Container: AnyObject & Sendable>(
        on container: Container, using function: @escaping @Sendable (Container) -> (State) -> Void,
        executeOn executor: LoopExecutor? = nil
    ) {
        let view = Feedback<State, Event>(
            render: { [weak container] state in
                if let container { function(container)(state) }
            }
        ).moved(to: executor)
        precondition(source.add(view), "a UISpin was given something to render on after `start()`")
    }

    // MARK: - Bindings

    /// A binding that reads a part of the state. When it is set, it emits the event that `event` makes of the
    /// value.
    ///
    /// It keeps neither the `UISpin` nor a loop running.
    public func binding<Value>(
        for keyPath: any KeyPath<State, Value> & Sendable, event: @escaping @Sendable (Value) -> Event
    ) -> Binding<Value> {
        Binding(
            get: { [source] in source.state[keyPath: keyPath] },
            set: { [source] in _ = source.emit(event($0)) })
    }

    /// A binding that reads a part of the state, and emits `event` when it is set to any value.
    public func binding<Value>(
        for keyPath: any KeyPath<State, Value> & Sendable, event: Event
    ) -> Binding<Value> {
        binding(for: keyPath, event: { _ in event })
    }
}
