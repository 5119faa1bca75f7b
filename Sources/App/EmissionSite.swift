import Expressions
import Manifest
import Records

/// The events that one answer of an effect becomes, made ready to be built.
///
/// `events` may be called from any thread, `event` on the loop's executor only.
// Safe because only `event` changes anything, and what is read is in the frame that is given.
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

        /// The event in memory of its own.
        func event(_ frame: ExpressionFrame) throws(RunFault) -> AppEvent? {
            if let condition, !(try condition.holds(frame)) { return nil }
            var payload = Record(type)
            // Safe because the payload was made here, with every field initialised.
            unsafe try writer.write(frame, into: payload.unsafeMutableBase())
            return AppEvent(index: event, payload: payload)
        }

        /// The event in the memory of `spare` if nobody holds that any more, else in memory that `spare` then keeps.
        func event(_ frame: ExpressionFrame, in spare: inout Record) throws(RunFault) -> AppEvent? {
            if let condition, !(try condition.holds(frame)) { return nil }
            if !spare.isUnique() { spare = Record(type) }
            // Safe because the writer writes every field, and each of them is initialised.
            unsafe try writer.write(frame, into: spare.unsafeMutableBase())
            return AppEvent(index: event, payload: spare)
        }
    }

    private let emissions: [Emission]
    // Most batches have one.
    private let only: Emission?
    private let reuses: Bool
    // Payloads of events that were made before: while one is reduced the next is made, so they take turns.
    // Safe because only `event` uses them.
    @safe @exclusivity(unchecked) private var spares: (Record, Record)
    @safe @exclusivity(unchecked) private var turn = false

    init(_ batch: EmissionBatch, of loop: LoopModel) {
        emissions = batch.emissions.map { Emission($0, of: loop) }
        only = emissions.count == 1 ? emissions[0] : nil
        reuses = only.map { $0.writer.writesAll(of: $0.type) } ?? false
        let none = only.map(\.type) ?? RecordType([])
        spares = (Record(none), Record(none))
    }

    /// True when there is one emission.
    var isSingle: Bool { only != nil }

    /// The one event, or nil when its condition does not hold; for batches of one (`isSingle`).
    func event(_ frame: ExpressionFrame) throws(RunFault) -> AppEvent? {
        guard let only else { return nil }
        guard reuses else { return try only.event(frame) }
        turn.toggle()
        return turn ? try only.event(frame, in: &spares.0) : try only.event(frame, in: &spares.1)
    }

    /// The events of all emissions that hold, in order.
    func events(_ frame: ExpressionFrame) throws(RunFault) -> [AppEvent] {
        var events: [AppEvent] = []
        for emission in emissions {
            if let event = try emission.event(frame) { events.append(event) }
        }
        return events
    }
}
