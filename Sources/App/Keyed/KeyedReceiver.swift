import Diagnostics
import HostLoop
import Manifest
import Records

/// The events that the instances of a loop with a key get for the messages of one gear.
// Safe because it is used on the loop's executor only, one message at a time.
final class KeyedReceiver: @unchecked Sendable {
    private struct Entry {
        let mapping: EmissionMapping
        let key: RecordWriter
        let span: SourceSpan
    }

    // By the message's index.
    private let entries: [[Entry]]
    private let origins: [Int?]
    private let record: RecordType
    private let frame: ExpressionFrame

    /// - Parameter gear: an index into `Manifest.gears`.
    init(_ key: KeyModel, of loop: LoopContext, gear: Int) {
        let received = MessageReceiver.received(by: loop.model)
        let messages = loop.gears[gear].messages.indices
        origins = messages.map { message in received.firstIndex { $0 == (gear, message) } }
        entries = messages.map { message in
            loop.model.receives.filter { $0.gear == gear && $0.message == message }.compactMap { receive in
                guard let key = receive.key else { return nil }
                let emission = EmissionModel(
                    event: receive.event, condition: receive.condition, assignments: receive.assignments,
                    span: receive.span)
                return Entry(
                    mapping: EmissionMapping(EmissionBatch(emitter: nil, emissions: [emission]), of: loop),
                    key: RecordWriter([key]), span: receive.span)
            }
        }
        record = key.record
        frame = ExpressionFrame(config: loop.config)
    }

    /// The place of a message in `MessageReceiver.origins(of:in:)`.
    func origin(of message: AppMessage) -> Int {
        guard let origin = origins[message.message] else { preconditionFailure("the loop receives it") }
        return origin
    }

    /// The events that a message becomes, with the keys of the instances that get them.
    func events(_ message: AppMessage) throws(RunFault) -> [(event: AppEvent, key: LoopKey)] {
        let origin = origins[message.message]
        // Safe because the payload lives while the expressions are evaluated.
        unsafe frame.bind(.message, to: message.payload.unsafeBase)
        frame.takeTime()
        var events: [(AppEvent, LoopKey)] = []
        for entry in entries[message.message] {
            for event in try entry.mapping.events(frame) {
                var record = Record(record)
                // Safe because the record was made here, with every field initialised.
                unsafe try entry.key.write(frame, into: record.unsafeMutableBase())
                let key: LoopKey
                do { key = try LoopKey(in: record) } catch {
                    throw RunFault(keyTooLong: error, at: entry.span)
                }
                events.append((AppEvent(index: event.index, payload: event.payload, message: origin), key))
            }
        }
        return events
    }
}
