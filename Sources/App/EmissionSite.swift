import Expressions
import Manifest
import Records

/// The events that one answer of an effect becomes, made ready to be built. May be used from any thread.
// Safe because nothing in it changes, and what it reads is in the frame that it is given.
final class EmissionSite: @unchecked Sendable {
    private final class Emission {
        let event: Int
        let type: RecordType
        let condition: Condition?
        let writer: RecordWriter

        init(_ model: EmissionModel, of loop: LoopModel) {
            (event, type) = (model.event, loop.events[model.event].type)
            (condition, writer) = (model.condition, RecordWriter(model.assignments))
        }

        func event(_ frame: ExpressionFrame) throws(RunFault) -> AppEvent? {
            if let condition, !(try condition.holds(frame)) { return nil }
            var payload = Record(type)
            // Safe because the payload was made here, with every field initialised.
            unsafe try writer.write(frame, into: payload.unsafeMutableBase())
            return AppEvent(index: event, payload: payload)
        }
    }

    private let emissions: [Emission]
    // Most batches have one.
    private let only: Emission?

    init(_ batch: EmissionBatch, of loop: LoopModel) {
        emissions = batch.emissions.map { Emission($0, of: loop) }
        only = emissions.count == 1 ? emissions[0] : nil
    }

    /// True when there is one emission.
    var isSingle: Bool { only != nil }

    /// The one event, or nil when its condition does not hold; for batches of one (`isSingle`).
    func event(_ frame: ExpressionFrame) throws(RunFault) -> AppEvent? { try only?.event(frame) }

    /// The events of all emissions that hold, in order.
    func events(_ frame: ExpressionFrame) throws(RunFault) -> [AppEvent] {
        var events: [AppEvent] = []
        for emission in emissions {
            if let event = try emission.event(frame) { events.append(event) }
        }
        return events
    }
}
