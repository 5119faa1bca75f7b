import HostLoop

/// The log of a test's loop: the steps, faults and runs that the test has not asserted yet.
struct TestLog<State: Sendable, Event: Sendable>: Sendable {
    /// An event that the loop took, and its outcome.
    enum Entry: Sendable {
        case step(LoopStep<State, Event>)
        case unhandled(Event, EventOrigin)
        /// The reducer failed. The loop does not report the event.
        case failed(LoopFault)

        /// Whether the event came from outside the loop, normally the test. True if the event is unknown.
        var isFromOutside: Bool {
            switch self {
            case .step(let step): step.origin.run == nil
            case .unhandled(_, let origin): origin.run == nil
            case .failed: true
            }
        }

        var event: Event? {
            switch self {
            case .step(let step): step.event
            case .unhandled(let event, _): event
            case .failed: nil
            }
        }
    }

    /// A run that was started and has neither finished nor been cancelled.
    struct Running: Sendable {
        var run: EffectRun
        var cause: Event?
    }

    var entries: [Entry] = []
    /// Faults of other parts than the reducer.
    var faults: [LoopFault] = []
    var running: [Running] = []
    /// Runs that may continue after the end of the test.
    var excused: Set<EffectRun> = []
    var isQuiescent = false
    var stopped: StopReason?

    /// Runs that must end before the end of the test.
    var unfinished: [Running] { running.filter { !excused.contains($0.run) } }

    /// The loop cannot do anything more.
    var isOver: Bool { isQuiescent || stopped != nil }

    /// The end of the test has nothing more to wait for.
    var isAtRest: Bool { isOver || (!running.isEmpty && unfinished.isEmpty) }
}
