extension Feedback {
    /// Calls `announce` with each new state, before an effect runs on it; no run, and no event.
    package static func announcing(_ announce: @escaping @Sendable (State) -> Void) -> Feedback {
        Feedback("", policy: .always) {
            // Every feedback decides on a state before any is started for it.
            FeedbackMemory(
                decide: { state, event in
                    if event != nil { announce(state) }
                    return .same
                }, effect: { _, _, _ in .finished }, detached: nil)
        }
    }
}

extension Spin {
    /// The same spin with one more feedback, which is the last.
    package func adding(_ feedback: Feedback<State, Event>) -> Spin {
        with(plan.feedbacks + [feedback])
    }

    /// The same spin with more feedbacks, which come before its own.
    package func preceded(by feedbacks: [Feedback<State, Event>]) -> Spin {
        with(feedbacks + plan.feedbacks)
    }

    private func with(_ feedbacks: [Feedback<State, Event>]) -> Spin {
        Spin(
            initialState: plan.initialState, reducer: plan.reducer, feedbacks: feedbacks, until: plan.until,
            mailbox: plan.mailbox, executor: plan.executor, clock: plan.clock)
    }
}
