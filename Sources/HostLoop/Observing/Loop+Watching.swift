import Synchronization

extension Loop {
    /// Adds an observer while the loop runs, between two steps. It gets no `started`.
    ///
    /// An event that waits now may be reduced before. While no observer sees steps, a step costs what it costs without
    /// observers. A full mailbox reports the events that it drops only to the observers of the start.
    /// - Precondition: The loop does not run on `LoopExecutor.caller`, whose emitters may reduce an event themselves.
    /// - Returns: Whether the observer is added; false when the loop has stopped.
    package func observe(with observer: any LoopObserver<State, Event>) -> Bool {
        precondition(!core.reducesInPlace, "a loop on `LoopExecutor.caller` is observed from its start")
        return core.betweenSteps { [core] in
            core.obtainExtras().observers.append(observer)
            core.updateObservation()
        }
    }

    /// Asks each observer again whether it sees steps, between two steps.
    ///
    /// - Parameter first: called before, with the number of the present step and its state.
    /// - Returns: Whether the loop asks them; false when it has stopped.
    @discardableResult
    package func reviewObservers(
        first: @escaping @Sendable (_ step: UInt64, State) -> Void = { _, _ in }
    ) -> Bool {
        core.betweenSteps { [core] in
            first(core.deliveredSteps, core.state)
            core.extras?.review()
            core.updateObservation()
        }
    }

    /// Removes an observer, between two steps.
    package func endObservation(by observer: any LoopObserver<State, Event>) {
        _ = core.betweenSteps { [core] in
            core.extras?.observers.removeAll { $0 === observer }
            core.updateObservation()
        }
    }
}

extension Loop {
    /// The number of events that wait for the reducer, from any thread. Of an unbounded mailbox, only those that came
    /// since the loop looked last.
    package var waitingEvents: Int {
        core.inbox.withLock { inbox in
            guard core.isBounded else { return inbox.events.count }
            core.countFreed(in: &inbox)
            return inbox.room.count
        }
    }
}
