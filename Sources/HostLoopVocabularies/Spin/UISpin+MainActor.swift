public import HostLoop

extension ObservableLoop {
    /// Shows every state of the loop on an object of the main actor: the initial one first, in order, without
    /// a gap. The object is not kept. Once it is gone, nothing is shown.
    ///
    /// States are shown in later turns of the main queue, which the program must serve. The compiler knows
    /// that `function` is called on the main actor: `uiSpin.render(on: self, using: { $0.render(state:) })`.
    /// A precondition failure between `start()` and `stop()`.
    /// - Parameters:
    ///   - container: The argument of `function`, as long as it exists.
    ///   - function: Returns the method to call.
    @MainActor
    public func render<Container: AnyObject>(
        on container: Container,
        using function: @escaping @MainActor (Container) -> @MainActor (State) -> Void
    ) {
        let view = MainActorReference(container)
        let feedback = Feedback<State, Event>(
            render: { state in
                MainActor.assumeIsolated {
                    if let container = view.object { function(container)(state) }
                }
            }
        ).execute(on: .main)
        precondition(source.add(feedback), "a UISpin was given something to render on after `start()`")
    }
}
