import HostLoop
import Manifest
public import Records

/// One step of a running app: an event that made a new state of one of its loops.
public struct AppStep: Sendable {
    /// The loop's name in the manifest.
    public let loop: String
    /// The number of the new state, counted from 1; the initial state is 0.
    public let index: UInt64
    /// The event's name.
    public let event: String
    /// The event's fields.
    public let payload: Record
    /// The state before the step.
    public let before: Record
    /// The state after the step, equal to the one before or not.
    public let after: Record
    /// Where the event came from, such as `feedback:left`, `after:playing`, `gear:auth.lost` or `external`.
    public let origin: String
    /// When it was, if a transition of the loop reads `now`, so that the step can be repeated.
    public let now: Timestamp?
}

extension AppStep {
    /// A step of the engine in the terms of the manifest; `message` names the origin of an event that a message became,
    /// `now` is only for a loop whose reducer reads it.
    init(
        _ step: LoopStep<Record, AppEvent>, of loop: LoopModel, message: String? = nil, now: Timestamp?
    ) {
        let event = loop.events[step.event.index]
        // A delayed transition is its own origin.
        let origin = event.delay == nil ? step.origin.run.map { "feedback:\($0.feedback)" } : event.name
        self.init(
            loop: loop.name, index: step.index, event: event.name, payload: step.event.payload,
            before: step.before, after: step.after, origin: message ?? origin ?? "external", now: now)
    }
}
