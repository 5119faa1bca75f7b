public import Diagnostics

/// A message that a feedback sends to a gear: one entry of `send`.
public struct MessageModel: Sendable {
    /// The gear, as an index into `Manifest.gears`.
    public let gear: Int
    /// The message, as an index into those that the gear declares.
    public let message: Int
    /// It is sent when this holds, or always.
    public let condition: Condition?
    /// The fields of the payload; optional ones that are not among them are absent.
    public let assignments: [Assignment]
    /// Where it stands.
    public let span: SourceSpan

    /// A message written at `span`.
    public init(gear: Int, message: Int, condition: Condition?, assignments: [Assignment], span: SourceSpan) {
        (self.gear, self.message, self.condition) = (gear, message, condition)
        (self.assignments, self.span) = (assignments, span)
    }
}
