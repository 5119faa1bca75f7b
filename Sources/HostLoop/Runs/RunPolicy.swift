/// Trigger and strategy of a feedback, in the terms of the engine.
@usableFromInline
struct RunPolicy: Sendable {
    /// The effect of a start while the feedback has an unfinished run.
    @usableFromInline
    enum Busy: Sendable {
        /// The current run has ended already. The start waits only for a call of it that still executes
        /// elsewhere.
        case replace
        case overlap
        case skip
        case queue
        /// There is one run for the loop's life, which gets every state.
        case always
    }

    /// The feedback's trigger, for descriptions only.
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
    /// A pending run only waits for input from others, like code that emits from outside. If all pending runs
    /// are such runs, nothing can happen any more.
    @usableFromInline var onlyReceives = false

    /// The loop withdraws the unreduced events of an ended run.
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
