extension Feedback {
    /// A feedback with one run for the loop's life: a source of events, a receiver of states, or both.
    /// - Parameters:
    ///   - state: Called with every later state, in order and without gaps. Its emissions belong to the one
    ///     run. A throw is caught like the effect's, and the run continues.
    ///   - effect: Called once with the initial state. A source returns `.pending`, and ends with
    ///     `Run.finish()` when it has no more events or is cancelled. `.finished` ends the source; `state`
    ///     still gets the later states.
    public static func always(
        _ name: String = "", state receive: (@Sendable (State, Run<Event>) throws -> Void)? = nil,
        run effect: @escaping @Sendable (State, Run<Event>) throws -> EffectStatus
    ) -> Feedback {
        let adapted: FeedbackMemory<State, Event>.SendableEffect = { state, _, run in try effect(state, run) }
        return Feedback(name, policy: .always) { .always(effect: adapted, receive: receive) }
    }

    /// A feedback with one run for the loop's life that has a memory of its own.
    /// - Parameter make: Called once per loop. Returns the effect, and the function that gets every later
    ///   state.
    package static func always(
        _ name: String,
        memory make:
            @escaping @Sendable () -> (
                effect: @Sendable (State, Run<Event>) throws -> EffectStatus,
                receive: @Sendable (State, Run<Event>) throws -> Void
            )
    ) -> Feedback {
        Feedback(name, policy: .always) {
            let (effect, receive) = make()
            return .always(effect: { state, _, run in try effect(state, run) }, receive: receive)
        }
    }

    /// A feedback with one run for the loop's life that only receives input from others. It does not keep the
    /// loop running.
    static func receiver(
        _ name: String, run effect: @escaping @Sendable (State, Run<Event>) throws -> EffectStatus
    ) -> Feedback {
        let adapted: FeedbackMemory<State, Event>.SendableEffect = { state, _, run in try effect(state, run) }
        return Feedback(name, policy: .receiver) { .always(effect: adapted, receive: nil) }
    }

    /// A feedback that gets every state, including the initial one, in order and without gaps.
    public static func always(
        _ name: String = "", effect: @escaping @Sendable (State, Run<Event>) throws -> Void
    ) -> Feedback {
        always(name, state: effect) { state, run in
            try effect(state, run)
            return .finished
        }
    }
}

extension FeedbackMemory {
    /// The memory of one run for the loop's life. The run begins with the first state.
    static func always(
        effect: @escaping SendableEffect, receive: (@Sendable (State, Run<Event>) throws -> Void)?
    ) -> FeedbackMemory {
        var hasBegun = false
        return FeedbackMemory(
            decide: { _, _ in
                guard hasBegun, receive == nil else {
                    hasBegun = true
                    return .new
                }
                return .same
            }, effect: effect, detached: { effect }, receive: receive)
    }
}
