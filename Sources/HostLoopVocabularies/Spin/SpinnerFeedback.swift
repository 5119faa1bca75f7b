public import HostLoop

/// A spin in the making (`Spinner`) that has feedbacks and may be given more, or its reducer.
public struct SpinnerFeedback<State: Sendable, Event: Sendable>: Sendable {
    @usableFromInline let spinner: Spinner<State>
    @usableFromInline let feedbacks: [Feedback<State, Event>]

    @inlinable
    init(spinner: Spinner<State>, feedbacks: [Feedback<State, Event>]) {
        self.spinner = spinner
        self.feedbacks = feedbacks
    }

    /// Adds a feedback after the others.
    @inlinable
    public func feedback(_ feedback: Feedback<State, Event>) -> SpinnerFeedback {
        SpinnerFeedback(spinner: spinner, feedbacks: feedbacks + [feedback])
    }

    /// Completes the spin.
    @inlinable
    public func reducer(_ reducer: Reducer<State, Event>) -> Spin<State, Event> {
        Spin(
            initialState: spinner.state, reducer: reducer, feedbacks: feedbacks, until: spinner.until,
            mailbox: spinner.mailbox, executor: spinner.executor, clock: spinner.clock)
    }
}
