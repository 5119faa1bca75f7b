public import Diagnostics

/// An event that a loop makes of a message: one entry of `receive`.
public struct ReceiveModel: Sendable {
    /// The gear's index in `Manifest.gears`.
    public let gear: Int
    /// The message's index in `GearModel.messages`.
    public let message: Int
    /// The event's index in `LoopModel.events`.
    public let event: Int
    /// It is made when this holds, or always.
    public let condition: Condition?
    /// The fields of the payload; optional ones that are not among them are absent.
    public let assignments: [Assignment]
    /// Where it stands.
    public let span: SourceSpan

    /// An entry written at `span`.
    public init(
        gear: Int, message: Int, event: Int, condition: Condition?, assignments: [Assignment],
        span: SourceSpan
    ) {
        (self.gear, self.message, self.event) = (gear, message, event)
        (self.condition, self.assignments, self.span) = (condition, assignments, span)
    }
}
