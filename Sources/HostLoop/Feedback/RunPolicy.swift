/// Trigger and strategy of a feedback, reduced to what the engine asks of them.
@usableFromInline
struct RunPolicy: Sendable {
    /// What a start does while the feedback has an unfinished run.
    @usableFromInline
    enum Busy: Sendable {
        /// The current run was ended already; wait only for a call of it that still executes elsewhere.
        case replace
        case overlap
        case skip
        case queue
        /// One run for the loop's life, given every state.
        case always
    }

    /// A `RequestChange.none` ends the run.
    @usableFromInline var endsOnNone: Bool
    /// A `RequestChange.new` ends the run before the next one starts.
    @usableFromInline var endsOnNew: Bool
    @usableFromInline var whenBusy: Busy

    /// The unreduced events of an ended run are withdrawn.
    @inlinable var withdraws: Bool { endsOnNone || endsOnNew }

    @usableFromInline static let change = RunPolicy(endsOnNone: true, endsOnNew: true, whenBusy: .replace)
    @usableFromInline static let always = RunPolicy(endsOnNone: false, endsOnNew: false, whenBusy: .always)

    @inlinable
    init(endsOnNone: Bool, endsOnNew: Bool, whenBusy: Busy) {
        self.endsOnNone = endsOnNone
        self.endsOnNew = endsOnNew
        self.whenBusy = whenBusy
    }
}
