public import Diagnostics

/// A gear, which passes messages between loops: `[gears.NAME]`.
public struct GearModel: Sendable {
    /// Its name, unique in the manifest.
    public let name: String
    /// The messages that it passes on, in declaration order.
    public let messages: [GearMessageModel]
    /// So many of the last messages are kept for loops that begin later.
    public let replay: Int
    /// The key that names it.
    public let span: SourceSpan

    /// A gear named at `span`.
    public init(name: String, messages: [GearMessageModel], replay: Int, span: SourceSpan) {
        (self.name, self.messages, self.replay, self.span) = (name, messages, replay, span)
    }
}
