public import Diagnostics
public import Records

/// A loop of the manifest: `[loops.NAME]`.
public struct LoopModel: Sendable {
    /// Its name, unique in the manifest.
    public let name: String
    /// The fields of its state, and its cases, if it has any.
    public let stateType: RecordType
    /// The state before the first event.
    public let initialState: Record
    /// A state for each case, every field at its initial value, in the order of the cases; for a state without cases just
    /// `initialState`.
    public let initialStates: [Record]
    /// Which values fields of the state may have.
    public let ranges: [RangeModel]
    /// Its events in declaration order, and then those of its delayed transitions (`EventModel.delay`).
    public let events: [EventModel]
    /// The native reducer, which gets each event first; nil: there is none.
    public let reducer: ReducerReference?
    /// For each event, in the order of `events`: the transitions that may apply, the first whose case and condition hold
    /// wins. Those of `"*"` follow those of the event itself. Empty: the reducer does not handle the event.
    public let transitions: [[TransitionModel]]
    /// Its feedbacks, in declaration order.
    public let feedbacks: [FeedbackModel]
    /// True when the manifest was checked to handle every event in every case without a condition.
    public let isExhaustive: Bool
    /// The events that it makes of messages, in declaration order.
    public let receives: [ReceiveModel]
    /// Its mailbox; nil: that of the app.
    public let mailbox: MailboxModel?
    /// The loop is done when this holds; nil: it has no end of its own.
    public let until: Condition?
    /// The key that names it.
    public let span: SourceSpan

    /// A loop named at `span`, whose initial state is `initialStates[initial]`.
    ///
    /// - Precondition: `transitions` has an entry for each event, and `initialStates` one for each case, or one only.
    public init(
        name: String, initialStates: [Record], initial: Int = 0, ranges: [RangeModel] = [],
        events: [EventModel], reducer: ReducerReference? = nil, transitions: [[TransitionModel]],
        isExhaustive: Bool = false, feedbacks: [FeedbackModel], receives: [ReceiveModel] = [],
        mailbox: MailboxModel? = nil,
        until: Condition?, span: SourceSpan
    ) {
        precondition(transitions.count == events.count, "transitions of every event")
        initialState = initialStates[initial]
        stateType = initialState.type
        precondition(initialStates.count == max(1, stateType.cases.count), "a state of every case")
        (self.name, self.initialStates, self.ranges) = (name, initialStates, ranges)
        (self.events, self.reducer, self.transitions) = (events, reducer, transitions)
        self.isExhaustive = isExhaustive
        (self.feedbacks, self.receives, self.mailbox) = (feedbacks, receives, mailbox)
        (self.until, self.span) = (until, span)
    }
}
