extension Feedback {
    /// The same feedback that starts no run while `condition` holds; a run that lasts goes on.
    /// - Parameter condition: Asked for each state that would mean something to the feedback, on the loop's
    ///   executor.
    public func disable(_ condition: @escaping @Sendable () -> Bool = { true }) -> Feedback {
        remembering { memory in
            FeedbackMemory(
                decide: { state, event in condition() ? .same : try memory.decide(state, event) },
                effect: memory.effect, detached: memory.detached, receive: memory.receive)
        }
    }

    /// The same feedback, which calls `perform` with each state that starts a run (or that an `always`
    /// feedback is given), before it does; on the loop's executor. Several of them stack, the last added
    /// first.
    public func onStateReceived(_ perform: @escaping @Sendable (State) -> Void) -> Feedback {
        remembering { memory in
            FeedbackMemory(
                decide: { state, event in
                    let change = try memory.decide(state, event)
                    if change == .new { perform(state) }
                    return change
                }, effect: memory.effect, detached: memory.detached, receive: memory.receive)
        }
    }

    /// The same feedback, which calls `perform` with each event that its effect emits, before it is queued,
    /// where it is emitted. Several of them stack, the first added first.
    public func onEventEmitted(_ perform: @escaping @Sendable (Event) -> Void) -> Feedback {
        let tap: @Sendable (Event) -> Event = { event in
            perform(event)
            return event
        }
        let tapped = remembering { memory -> FeedbackMemory<State, Event> in
            guard let receive = memory.receive else { return memory }
            return FeedbackMemory(
                decide: memory.decide, effect: memory.effect, detached: memory.detached,
                receive: { state, run in
                    try receive(state, RunRelay<Event, Event>(run, translate: tap).inner)
                })
        }
        return tapped.wrapping {
            { effect in
                { state, event, run in
                    try RunRelay<Event, Event>(run, translate: tap).call { try effect(state, event, $0) }
                }
            }
        }
    }
}
