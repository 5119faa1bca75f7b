public import Diagnostics

/// A message that a feedback sends to a gear: one entry of `send`.
public struct MessageModel: Sendable {
    /// The gear, as an index into `Manifest.gears`.
    public let gear: Int
    /// The message, as an index into `GearModel.messages`.
    public let message: Int
    /// The message is sent when this holds; nil if it is always sent.
    public let condition: Condition?
    /// The fields of the payload. Optional fields without an assignment are absent.
    public let assignments: [Assignment]
    /// The span of its entry.
    public let span: SourceSpan

    /// A message written at `span`.
    public init(gear: Int, message: Int, condition: Condition?, assignments: [Assignment], span: SourceSpan) {
        (self.gear, self.message, self.condition) = (gear, message, condition)
        (self.assignments, self.span) = (assignments, span)
    }
}
