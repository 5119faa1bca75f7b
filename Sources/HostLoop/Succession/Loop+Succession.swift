extension Loop {
    /// Parks the loop between two of its steps, until `unpark`, or until another loop continues it. It
    /// returns at once.
    ///
    /// A parked loop accepts events and does nothing else. No code may perform an event on it. If it is
    /// stopped while it is parked, it ends with `unpark`.
    /// - Parameter parked: Called once, on the thread that drained the loop, with true when the loop is parked,
    ///   or with false when it stops instead.
    /// - Returns: False when the loop has stopped; then `parked` is not called.
    package func park(_ parked: @escaping @Sendable (_ isParked: Bool) -> Void) -> Bool {
        core.betweenSteps { [core] in core.park(parked) }
    }

    /// Resumes a parked loop, or begins a loop that continues another.
    package func unpark() { core.unpark() }
}

extension Spin {
    /// Makes a loop that continues a parked loop. It is parked, too, until `unpark`.
    ///
    /// The new loop gets the events that wait in the old one, in their order, and the runs of feedbacks that
    /// both have. All other runs of the old loop end. Later calls on its runs and emitters go to the new
    /// loop.
    ///
    /// Each feedback sees the initial state. A continued feedback that runs on change keeps its run when its
    /// request is the same, separately for each key. A continued feedback that runs on states or events keeps
    /// its run when its condition still holds. Neither starts a new run then.
    /// - Parameters:
    ///   - loop: The old loop. If it is parked, it is over with this call, and its end comes when its
    ///     cancelled effects have ended. If it has stopped, the new loop continues only the requests that its
    ///     feedbacks have run for.
    ///   - succession: Maps events and feedbacks of the old loop to those of the new one.
    /// - Returns: The handle, whose last release stops the loop; and a function that cancels the effects that
    ///   are not continued. The caller must call it once, on any thread, before the loop begins. It calls the
    ///   handlers that these effects registered.
    package func loop(
        observers: [any LoopObserver<State, Event>], inPlaceOf loop: Loop<State, Event>,
        _ succession: LoopSuccession<Event>
    ) -> (loop: Loop<State, Event>, cancel: @Sendable () -> Void) {
        let core = LoopCore(plan: plan, observers: observers)
        let cancel = core.takePlace(of: loop.core, succession)
        return (Loop(core: core), cancel)
    }
}
