extension Feedback {
    /// A feedback that calls `announce` with each new state and its event, before the effects of that state run. It has no
    /// run and emits no event.
    package static func announcing(_ announce: @escaping @Sendable (State, Event) -> Void) -> Feedback {
        Feedback("", policy: .always) {
            // All feedbacks decide on a state before the loop starts an effect for it.
            FeedbackMemory(
                decide: { state, event in
                    if let event { announce(state, event) }
                    return .same
                }, effect: { _, _, _ in .finished }, detached: nil)
        }
    }
}

extension Spin {
    /// The same spin with more feedbacks, which come after its own.
    public func adding(_ feedbacks: Feedback<State, Event>...) -> Spin {
        with(plan.feedbacks + feedbacks)
    }

    /// Puts feedbacks before those of the spin.
    package func preceded(by feedbacks: [Feedback<State, Event>]) -> Spin {
        with(feedbacks + plan.feedbacks)
    }

    private func with(_ feedbacks: [Feedback<State, Event>]) -> Spin {
        Spin(
            initialState: plan.initialState, reducer: plan.reducer, feedbacks: feedbacks, until: plan.until,
            mailbox: plan.mailbox, executor: plan.executor, clock: plan.clock)
    }
}
