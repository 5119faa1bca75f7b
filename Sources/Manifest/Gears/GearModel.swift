public import Diagnostics

/// A gear, the bus that carries messages between loops: `[gears.NAME]`.
public struct GearModel: Sendable {
    /// Its name, unique in the manifest.
    public let name: String
    /// Its messages, in declaration order.
    public let messages: [GearMessageModel]
    /// How many of the last messages the gear keeps for loops that start later.
    public let replay: Int
    /// Whether it is the gear of a loop with a key, which has its name. No feedback names it.
    public let isOfLoop: Bool
    /// The key that names it.
    public let span: SourceSpan

    /// A gear named at `span`.
    public init(
        name: String, messages: [GearMessageModel], replay: Int, isOfLoop: Bool = false, span: SourceSpan
    ) {
        (self.name, self.messages, self.replay) = (name, messages, replay)
        (self.isOfLoop, self.span) = (isOfLoop, span)
    }
}
