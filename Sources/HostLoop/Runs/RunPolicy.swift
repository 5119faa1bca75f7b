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

    /// What the feedback runs for; only descriptions ask.
    @usableFromInline
    enum Trigger: Sendable {
        case state
        case event
        case change
        case each
        case always
    }

    /// A `RequestChange.none` ends the run.
    @usableFromInline var endsOnNone: Bool
    /// A `RequestChange.new` ends the run before the next one starts.
    @usableFromInline var endsOnNew: Bool
    @usableFromInline var whenBusy: Busy
    @usableFromInline let trigger: Trigger
    /// A pending run waits for others to say something, as whoever emits from outside does: with none but such runs
    /// nothing can happen any more.
    @usableFromInline var onlyReceives = false

    /// The unreduced events of an ended run are withdrawn.
    @inlinable var withdraws: Bool { endsOnNone || endsOnNew }

    @usableFromInline static let change = RunPolicy(
        .change, endsOnNone: true, endsOnNew: true, whenBusy: .replace)
    @usableFromInline static let each = RunPolicy(
        .each, endsOnNone: true, endsOnNew: true, whenBusy: .replace)
    @usableFromInline static let always = RunPolicy(
        .always, endsOnNone: false, endsOnNew: false, whenBusy: .always)
    @usableFromInline static let receiver: RunPolicy = {
        var policy = always
        policy.onlyReceives = true
        return policy
    }()

    @inlinable
    init(_ trigger: Trigger, endsOnNone: Bool, endsOnNew: Bool, whenBusy: Busy) {
        self.trigger = trigger
        self.endsOnNone = endsOnNone
        self.endsOnNew = endsOnNew
        self.whenBusy = whenBusy
    }
}

extension RunPolicy {
    /// Trigger and strategy as they are written in Swift.
    var sourceText: String {
        switch trigger {
        case .state: "onState, \(strategy)"
        case .event: "onEvent, \(strategy)"
        case .change: "onChange"
        case .each: "onEach"
        case .always: "always"
        }
    }

    private var strategy: String {
        switch whenBusy {
        case .replace: endsOnNone ? "cancelOnNewState" : "cancelOnNewMatch"
        case .overlap: "continueOnNewState"
        case .skip: "skipWhileRunning"
        case .queue: "queue"
        case .always: "always"
        }
    }
}
