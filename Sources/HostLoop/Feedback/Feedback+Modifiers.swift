extension Feedback {
    /// The same feedback, which starts no run while `condition` holds. A run that has started continues.
    /// - Parameter condition: Called on the loop's executor, for each state that has a meaning for the
    ///   feedback.
    public func disable(_ condition: @escaping @Sendable () -> Bool = { true }) -> Feedback {
        remembering { memory in
            var disabled = memory
            disabled.decide = { state, event in condition() ? .same : try memory.decide(state, event) }
            return disabled
        }
    }

    /// The same feedback, which calls `perform` once per loop, before the loop sees its initial state.
    package func onBegin(_ perform: @escaping @Sendable () -> Void) -> Feedback {
        remembering { memory in
            perform()
            return memory
        }
    }

    /// The same feedback, which calls `perform` with each state that starts a run, or that an `always`
    /// feedback gets, before it does. The call is on the loop's executor. Several of them stack, the last
    /// added first.
    public func onStateReceived(_ perform: @escaping @Sendable (State) -> Void) -> Feedback {
        remembering { memory in
            var tapped = memory
            tapped.decide = { state, event in
                let change = try memory.decide(state, event)
                if change == .new { perform(state) }
                return change
            }
            return tapped
        }
    }

    /// The same feedback, which calls `perform` with each event that its effect emits, on the emitting
    /// thread, before the event is queued. Several of them stack, the first added first.
    public func onEventEmitted(_ perform: @escaping @Sendable (Event) -> Void) -> Feedback {
        let tap: @Sendable (Event) -> Event = { event in
            perform(event)
            return event
        }
        let tapped = remembering { memory -> FeedbackMemory<State, Event> in
            var tapped = memory
            if case .allKeys(let runs)? = memory.keyedRole {
                runs.relayUpdates { RunRelay<Event>($0, translate: tap).inner }
            } else if let receive = memory.receive {
                tapped.receive = { state, run in
                    try receive(state, RunRelay<Event>(run, translate: tap).inner)
                }
            }
            return tapped
        }
        return tapped.wrapping {
            { effect in
                { state, event, run in
                    try RunRelay<Event>(run, translate: tap).call { try effect(state, event, $0) }
                }
            }
        }
    }
}
