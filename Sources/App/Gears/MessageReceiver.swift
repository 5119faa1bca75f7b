import Expressions
import Manifest
import Records

/// The events that one loop makes of the messages of one gear.
// Safe because it is used on the loop's executor only, one message at a time.
final class MessageReceiver: @unchecked Sendable {
    private struct Entry {
        /// Index into `origins(of:in:)`.
        let origin: Int
        let mapping: EmissionMapping
    }

    // By the message's index; nil for those that the loop does not receive.
    private let entries: [Entry?]
    private let frame: ExpressionFrame

    /// - Parameter gear: an index into `Manifest.gears`.
    init(of loop: LoopContext, gear: Int) {
        let received = Self.received(by: loop.model)
        entries = loop.gears[gear].messages.indices.map { message in
            guard let origin = received.firstIndex(where: { $0 == (gear, message) }) else { return nil }
            let emissions = loop.model.receives.filter { $0.gear == gear && $0.message == message }.map {
                EmissionModel(
                    event: $0.event, condition: $0.condition, assignments: $0.assignments, span: $0.span)
            }
            return Entry(
                origin: origin,
                mapping: EmissionMapping(EmissionBatch(emitter: nil, emissions: emissions), of: loop))
        }
        frame = ExpressionFrame(config: loop.config)
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
        guard let entry = entries[message.message] else { return [] }
        // Safe because the payload lives while the expressions are evaluated.
        unsafe frame.bind(.message, to: message.payload.unsafeBase)
        frame.takeTime()
        return try entry.mapping.events(frame).map {
            AppEvent(index: $0.index, payload: $0.payload, message: entry.origin)
        }
    }
}
