public import Diagnostics

/// An event that a loop makes from a message: one entry of `receive`.
public struct ReceiveModel: Sendable {
    /// The gear's index in `Manifest.gears`.
    public let gear: Int
    /// The message's index in `GearModel.messages`.
    public let message: Int
    /// The event's index in `LoopModel.events`.
    public let event: Int
    /// The event is made when this holds; nil if it is always made.
    public let condition: Condition?
    /// The key of the instance that gets the event, an assignment to the field of `KeyModel.record`; nil for a loop without
    /// a key.
    public let key: Assignment?
    /// The fields of the payload. Optional fields without an assignment are absent.
    public let assignments: [Assignment]
    /// The span of its entry.
    public let span: SourceSpan

    /// An entry written at `span`.
    public init(
        gear: Int, message: Int, event: Int, condition: Condition?, key: Assignment? = nil,
        assignments: [Assignment], span: SourceSpan
    ) {
        (self.gear, self.message, self.event) = (gear, message, event)
        (self.condition, self.key) = (condition, key)
        (self.assignments, self.span) = (assignments, span)
    }
}
