/// What comes of one answer of an effect: of its return, of one emission, or of a failure. All events whose condition
/// holds are sent, in order, as one batch, and all such messages.
public struct EmissionBatch: Sendable {
    /// The emitter that this batch belongs to, by its name; nil for what the effect returns, and for a failure.
    public let emitter: String?
    /// The events, in order.
    public let emissions: [EmissionModel]
    /// The messages to gears, in order.
    public let messages: [MessageModel]

    /// What comes of one emitter, of the return, or of a failure.
    public init(emitter: String?, emissions: [EmissionModel], messages: [MessageModel] = []) {
        (self.emitter, self.emissions, self.messages) = (emitter, emissions, messages)
    }
}
