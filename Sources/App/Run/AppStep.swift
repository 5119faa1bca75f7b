import HostLoop
public import Manifest
public import Records

/// One step of a running app: an event and the new state that a loop's reducer made of it.
public struct AppStep: Sendable {
    /// The loop's name in the manifest.
    public let loop: String
    /// The key of the instance; nil for a loop without a key.
    public let key: LoopKey?
    /// The number of the new state, counted from 1; the initial state is 0.
    public let index: UInt64
    /// The event's name.
    public let event: String
    /// The event's fields.
    public let payload: Record
    /// The state before the step.
    public let before: Record
    /// The state after the step; it may equal the one before.
    public let after: Record
    /// The source of the event, such as `feedback:left`, `after:playing`, `gear:auth.lost` or `external`.
    public let origin: String
    /// The time of the step, so that it can be repeated; nil unless a transition of the loop reads `now`.
    public let now: Timestamp?

    /// The loop's name, with the key of the instance: `order/A17`.
    public var place: String { Self.place(loop, key) }

    /// The name of a loop, with the key of an instance if it has one.
    public static func place(_ loop: String, _ key: LoopKey?) -> String {
        key.map { "\(loop)/\($0)" } ?? loop
    }
}

extension AppStep {
    /// Translates a step of the engine into the names of the manifest.
    ///
    /// - Parameters:
    ///   - message: the origin of an event that was made from a message.
    ///   - now: only for a loop whose reducer reads it.
    init(
        _ step: LoopStep<Record, AppEvent>, of loop: LoopModel, key: LoopKey? = nil, message: String? = nil,
        now: Timestamp?
    ) {
        let event = loop.events[step.event.index]
        // The event of a delayed transition has the transition as its origin.
        let origin = event.delay == nil ? step.origin.run.map { "feedback:" + $0.feedback } : event.name
        self.init(
            loop: loop.name, key: key, index: step.index, event: event.name, payload: step.event.payload,
            before: step.before, after: step.after, origin: message ?? origin ?? "external", now: now)
    }
}
