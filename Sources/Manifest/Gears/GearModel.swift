public import Diagnostics

/// A gear, the bus that carries messages between loops: `[gears.NAME]`.
public struct GearModel: Sendable {
    /// Its name, unique in the manifest.
    public let name: String
    /// Its messages, in declaration order.
    public let messages: [GearMessageModel]
    /// How many of the last messages the gear keeps for loops that start later.
    public let replay: Int
    /// The key that names it.
    public let span: SourceSpan

    /// A gear named at `span`.
    public init(name: String, messages: [GearMessageModel], replay: Int, span: SourceSpan) {
        (self.name, self.messages, self.replay, self.span) = (name, messages, replay, span)
    }
}
