/// The events that come of one answer of an effect: of its return, or of one emission. All whose condition holds are
/// sent, in order, as one batch.
public struct EmissionBatch: Sendable {
    /// The emitter that this batch belongs to, by its name; nil for what the effect returns.
    public let emitter: String?
    /// The events, in order.
    public let emissions: [EmissionModel]

    /// The events of one emitter, or of the return.
    public init(emitter: String?, emissions: [EmissionModel]) {
        (self.emitter, self.emissions) = (emitter, emissions)
    }
}
