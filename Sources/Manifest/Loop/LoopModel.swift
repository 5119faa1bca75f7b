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
    /// For each case, in order, a state with all fields at their initial values. For a state without cases,
    /// only `initialState`.
    public let initialStates: [Record]
    /// The ranges of fields of the state.
    public let ranges: [RangeModel]
    /// What makes it a loop with a key, which has an instance for each key; nil for one loop.
    public let key: KeyModel?
    /// Its declared events in declaration order, then those of its delayed transitions (`EventModel.delay`).
    public let events: [EventModel]
    /// The native reducer, which handles each event first; nil if the loop has none.
    public let reducer: ReducerReference?
    /// For each event, in the order of `events`: the transitions to try. The first one whose case and
    /// condition hold applies. Transitions of `"*"` follow those of the event itself. Empty if the reducer
    /// does not handle the event.
    public let transitions: [[TransitionModel]]
    /// Its feedbacks, in declaration order.
    public let feedbacks: [FeedbackModel]
    /// True when the manifest was checked to handle every event in every case without a condition.
    public let isExhaustive: Bool
    /// The messages that become events of the loop, in declaration order.
    public let receives: [ReceiveModel]
    /// Its mailbox; nil for the app's (`Manifest.mailbox`).
    public let mailbox: MailboxModel?
    /// False for a loop that the app's journal leaves out. It begins again in each process.
    public let isJournaled: Bool
    /// How many forms the names in `let` have: one more than the greatest `Scope.Binding.number`.
    public let bindings: Int
    /// How fields of another type get their values from an earlier state.
    public let migrations: [MigrationModel]
    /// The loop, or an instance of it, ends when this holds; nil without `until`.
    public let until: Condition?
    /// The key that names it.
    public let span: SourceSpan

    /// A loop named at `span`, whose initial state is `initialStates[initial]`.
    ///
    /// - Precondition: `transitions` has one element for each event. `initialStates` has one element for each
    ///   case, or one for a state without cases.
    public init(
        name: String, initialStates: [Record], initial: Int = 0, ranges: [RangeModel] = [],
        events: [EventModel], reducer: ReducerReference? = nil, transitions: [[TransitionModel]],
        isExhaustive: Bool = false, feedbacks: [FeedbackModel], receives: [ReceiveModel] = [],
        mailbox: MailboxModel? = nil, isJournaled: Bool = true, key: KeyModel? = nil,
        until: Condition?, bindings: Int = 0, migrations: [MigrationModel] = [], span: SourceSpan
    ) {
        precondition(transitions.count == events.count, "transitions of every event")
        initialState = initialStates[initial]
        stateType = initialState.type
        precondition(initialStates.count == max(1, stateType.cases.count), "a state of every case")
        (self.name, self.initialStates, self.ranges) = (name, initialStates, ranges)
        (self.events, self.reducer, self.transitions) = (events, reducer, transitions)
        self.isExhaustive = isExhaustive
        (self.feedbacks, self.receives, self.mailbox) = (feedbacks, receives, mailbox)
        (self.isJournaled, self.key) = (isJournaled, key)
        (self.until, self.bindings, self.migrations, self.span) = (until, bindings, migrations, span)
    }
}
