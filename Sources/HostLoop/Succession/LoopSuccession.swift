/// How a loop takes the place of another one of the same types, whose states and events may mean other things.
package struct LoopSuccession<Event: Sendable>: Sendable {
    /// By the place of a feedback of the loop before: that of the feedback which goes on with its runs. Both have the same trigger,
    /// strategy and executor; one with keys is made with what the one before was asked for, or begins anew.
    package let feedbacks: [Int: Int]
    /// What an event of the loop before is in this one; nil: nothing; then it is counted as discarded, and whoever emits it is
    /// answered that the loop has stopped. Called on any thread.
    package let event: @Sendable (Event) -> Event?

    /// Describes how.
    package init(feedbacks: [Int: Int], event: @escaping @Sendable (Event) -> Event?) {
        (self.feedbacks, self.event) = (feedbacks, event)
    }
}
