import HostLoop

/// What the loop of a test did and the test has not asserted yet.
struct TestLog<State: Sendable, Event: Sendable>: Sendable {
    /// An event that was taken, and what became of it.
    enum Entry: Sendable {
        case step(LoopStep<State, Event>)
        case unhandled(Event, EventOrigin)
        /// The reducer failed; on which event is not told.
        case failed(LoopFault)

        /// Whether the test, or somebody else outside the loop, emitted it.
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

    /// A run that was started and is neither finished nor cancelled.
    struct Running: Sendable {
        var run: EffectRun
        var cause: Event?
    }

    var entries: [Entry] = []
    /// Faults that are not the reducer's.
    var faults: [LoopFault] = []
    var running: [Running] = []
    /// Runs that need not end.
    var excused: Set<EffectRun> = []
    var isQuiescent = false
    var stopped: StopReason?

    /// Runs that should have ended.
    var unfinished: [Running] { running.filter { !excused.contains($0.run) } }

    /// Nothing can come any more.
    var isOver: Bool { isQuiescent || stopped != nil }

    /// Nothing that the test waits for at its end can come any more.
    var isAtRest: Bool { isOver || (!running.isEmpty && unfinished.isEmpty) }
}
