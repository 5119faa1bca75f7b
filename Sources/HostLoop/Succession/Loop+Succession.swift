extension Loop {
    /// Has the loop rest between two of its steps, until `unpark`, or until another loop takes its place.
    ///
    /// Meanwhile it takes events and does nothing; nobody may perform any. One that is stopped while it rests ends with `unpark`.
    /// Returns at once.
    /// - Parameter told: called once, on the thread that drained the loop: whether it rests now; else it stops.
    /// - Returns: false when it has stopped, and `told` is not called.
    package func park(_ told: @escaping @Sendable (_ rests: Bool) -> Void) -> Bool {
        core.betweenSteps { [core] in core.park(told) }
    }

    /// Has a loop that rests go on, or begin.
    package func unpark() { core.unpark() }
}

extension Spin {
    /// Makes a loop in the place of one that rests, which rests too, until `unpark`: with the events that wait there, in their order, and the runs of feedbacks that
    /// both have. All else of the loop before ends; what its runs and emitters say from now on is said to this one.
    ///
    /// A feedback that goes on is asked what the initial state means, as every one is; one that runs on change goes on when that asks
    /// for the same, each key by itself, and one that runs on states or events when it holds still. Neither is a new run then.
    /// - Parameters:
    ///   - loop: Rests; it is over then, its end comes when effects that were ended have come to theirs. Of one that has stopped only what
    ///     its feedbacks have run for goes on.
    ///   - succession: How events and feedbacks of that loop are those of this one.
    /// - Returns: the handle whose last release stops the loop; and what cancels the effects with which nothing goes on, to be called once,
    ///   on any thread, before the loop begins: it calls what they registered for that.
    package func loop(
        observers: [any LoopObserver<State, Event>], inPlaceOf loop: Loop<State, Event>,
        _ succession: LoopSuccession<Event>
    ) -> (loop: Loop<State, Event>, cancel: @Sendable () -> Void) {
        let core = LoopCore(plan: plan, observers: observers)
        let cancel = core.takePlace(of: loop.core, succession)
        return (Loop(core: core), cancel)
    }
}
