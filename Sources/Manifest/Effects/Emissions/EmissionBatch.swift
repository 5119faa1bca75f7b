public import Expressions

/// The events and messages to send after an effect has returned, emitted or failed. All events whose
/// condition holds are sent as one batch, in order; then all messages whose condition holds.
public struct EmissionBatch: Sendable {
    /// The name of the emitter; nil for an effect that returns, and for a failure.
    public let emitter: String?
    /// The events, in order.
    public let emissions: [EmissionModel]
    /// The messages to gears, in order.
    public let messages: [MessageModel]

    /// A batch for one emitter, for the return of an effect, or for a failure.
    public init(emitter: String?, emissions: [EmissionModel], messages: [MessageModel] = []) {
        (self.emitter, self.emissions, self.messages) = (emitter, emissions, messages)
    }

    /// What its expressions read of the frame (`FrameSlot`).
    public var reads: FrameReads {
        let emitted = emissions.map { ($0.condition, $0.assignments) }
        let sent = messages.map { ($0.condition, $0.assignments) }
        return FrameReads(
            (emitted + sent).flatMap { condition, assignments in
                assignments.map(\.store.reads) + (condition.map { [$0.reads] } ?? [])
            })
    }
}
