import Diagnostics
import Expressions
import Manifest
import Records

/// The events that one loop, or its instances, make of the messages of one gear.
// Safe because it is used on the loop's executor only, one message at a time.
final class MessageReceiver: @unchecked Sendable {
    private struct Entry {
        /// Index into `origins(of:in:)`.
        let origin: Int
        let parts: [Part]
    }

    /// One event of a message, and the key of the instance that gets it; nil for a loop without a key.
    private struct Part {
        let mapping: EmissionMapping
        let key: RecordWriter?
        let span: SourceSpan
    }

    // By the message's index; nil for those that the loop does not receive.
    private let entries: [Entry?]
    private let frame: ExpressionFrame
    /// The type of a record with a key alone; nil for a loop without a key.
    private let keyType: RecordType?

    /// - Parameter gear: an index into `Manifest.gears`.
    init(of loop: LoopContext, gear: Int) {
        let received = Self.received(by: loop.model)
        entries = loop.gears[gear].messages.indices.map { message in
            guard let origin = received.firstIndex(where: { $0 == (gear, message) }) else { return nil }
            let parts = loop.model.receives.filter { $0.gear == gear && $0.message == message }.map {
                let emission = EmissionModel(
                    event: $0.event, condition: $0.condition, assignments: $0.assignments, span: $0.span)
                return Part(
                    mapping: EmissionMapping(EmissionBatch(emitter: nil, emissions: [emission]), of: loop),
                    key: $0.key.map { RecordWriter([$0]) }, span: $0.span)
            }
            return Entry(origin: origin, parts: parts)
        }
        frame = ExpressionFrame(config: loop.config, bindings: 0)
        keyType = loop.model.key?.record
    }

    /// The messages that a loop receives, as they name the origin of an event: `gear:GEAR.MESSAGE`.
    static func origins(of loop: LoopModel, in manifest: Manifest) -> [String] {
        received(by: loop).map { gear, message in
            "gear:\(manifest.gears[gear].name).\(manifest.gears[gear].messages[message].name)"
        }
    }

    /// The messages that a loop receives, each once, in the order of `origins(of:in:)`.
    static func received(by loop: LoopModel) -> [(gear: Int, message: Int)] {
        var received: [(gear: Int, message: Int)] = []
        for receive in loop.receives
        where !received.contains(where: { $0 == (receive.gear, receive.message) }) {
            received.append((receive.gear, receive.message))
        }
        return received
    }

    /// The place of a message in `origins(of:in:)`.
    ///
    /// - Precondition: the loop receives it.
    func origin(of message: AppMessage) -> Int {
        guard let entry = entries[message.message] else { preconditionFailure("the loop receives it") }
        return entry.origin
    }

    /// The events that a message becomes.
    func events(_ message: AppMessage) throws(RunFault) -> [AppEvent] {
        try addressed(message).map(\.event)
    }

    /// The events that a message becomes, each with the key of the instance that gets it; nil for a loop without a key.
    func addressed(_ message: AppMessage) throws(RunFault) -> [(event: AppEvent, key: LoopKey?)] {
        guard let entry = entries[message.message] else { return [] }
        // Safe because the payload lives while the expressions are evaluated.
        unsafe frame.bind(.message, to: message.payload.unsafeBase)
        frame.takeTime()
        var events: [(AppEvent, LoopKey?)] = []
        for part in entry.parts {
            for event in try part.mapping.events(frame) {
                let event = AppEvent(index: event.index, payload: event.payload, message: entry.origin)
                events.append((event, try key(part)))
            }
        }
        return events
    }

    /// The key that the frame means.
    private func key(_ part: Part) throws(RunFault) -> LoopKey? {
        guard let keyType, let writer = part.key else { return nil }
        var record = Record(keyType)
        // Safe because the record was made here, with every field initialised.
        unsafe try writer.write(frame, into: record.unsafeMutableBase())
        do { return try LoopKey(in: record) } catch { throw RunFault(keyTooLong: error, at: part.span) }
    }
}
