import Expressions
import Manifest
import Records

/// The events that one answer of an effect becomes, made ready to be built. May be used from any thread.
// Safe because nothing in it changes, and what it reads is in the frame that it is given.
final class EmissionSite: @unchecked Sendable {
    private struct Emission {
        let event: Int
        let type: RecordType
        let condition: Condition?
        let writer: RecordWriter
    }

    private let emissions: [Emission]

    init(_ batch: EmissionBatch, of loop: LoopModel) {
        emissions = batch.emissions.map { emission in
            Emission(
                event: emission.event, type: loop.events[emission.event].type, condition: emission.condition,
                writer: RecordWriter(emission.assignments))
        }
    }

    /// The one event, or nil when its condition does not hold; for batches of one (`isSingle`).
    func event(_ frame: ExpressionFrame) throws(RunFault) -> AppEvent? { try event(0, frame) }

    /// The events of all emissions that hold, in order.
    func events(_ frame: ExpressionFrame) throws(RunFault) -> [AppEvent] {
        var events: [AppEvent] = []
        for index in emissions.indices {
            if let event = try event(index, frame) { events.append(event) }
        }
        return events
    }

    /// True when there is one emission.
    var isSingle: Bool { emissions.count == 1 }

    private func event(_ index: Int, _ frame: ExpressionFrame) throws(RunFault) -> AppEvent? {
        if let condition = emissions[index].condition, !(try condition.holds(frame)) { return nil }
        var payload = Record(emissions[index].type)
        // Safe because the payload was made here, with every field initialised.
        unsafe try emissions[index].writer.write(frame, into: payload.unsafeMutableBase())
        return AppEvent(index: emissions[index].event, payload: payload)
    }
}
