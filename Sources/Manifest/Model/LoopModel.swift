public import Diagnostics
public import Records

/// A loop of the manifest: `[loops.NAME]`.
public struct LoopModel: Sendable {
    /// Its name, unique in the manifest.
    public let name: String
    /// The fields of its state.
    public let stateType: RecordType
    /// The state before the first event.
    public let initialState: Record
    /// Its events, in declaration order.
    public let events: [EventModel]
    /// For each event, in the order of `events`: the transitions that may apply, the first whose condition holds wins.
    /// Those of `"*"` follow those of the event itself. Empty: the reducer does not handle the event.
    public let transitions: [[TransitionModel]]
    /// Its feedbacks, in declaration order.
    public let feedbacks: [FeedbackModel]
    /// The loop is done when this holds; nil: it has no end of its own.
    public let until: Condition?
    /// The key that names it.
    public let span: SourceSpan

    /// A loop named at `span`.
    ///
    /// - Precondition: `transitions` has an entry for each event, and `initialState` is of `stateType`.
    public init(
        name: String, initialState: Record, events: [EventModel], transitions: [[TransitionModel]],
        feedbacks: [FeedbackModel], until: Condition?, span: SourceSpan
    ) {
        precondition(transitions.count == events.count, "transitions of every event")
        (self.name, stateType, self.initialState) = (name, initialState.type, initialState)
        (self.events, self.transitions, self.feedbacks) = (events, transitions, feedbacks)
        (self.until, self.span) = (until, span)
    }
}
