public import Records

/// The C layout of one loop's records. `spinhost header` writes it into a header, and the note of a plugin
/// that is compiled with the header contains it.
public struct LoopLayout: Hashable, Sendable {
    /// An event of the loop.
    public struct Event: Hashable, Sendable {
        /// Its name.
        public let name: String
        /// The fields of its payload.
        public let type: RecordType

        public init(name: String, type: RecordType) { (self.name, self.type) = (name, type) }
    }

    /// The loop's name.
    public let loop: String
    /// Its state.
    public let state: RecordType
    /// Its events in order. The position of an event is its tag.
    public let events: [Event]

    public init(loop: String, state: RecordType, events: [Event]) {
        (self.loop, self.state, self.events) = (loop, state, events)
    }

    /// The C type of the state: `levels_state`.
    public var stateName: String { "\(loop)_state" }
    /// The C type of any event: `levels_event`.
    public var eventName: String { "\(loop)_event" }
    /// The C type of the payload of one event: `levels_event_left_moved`.
    public func payloadName(_ event: Event) -> String { "\(eventName)_\(event.name)" }

    /// The name of an effect's emission of an event: the loop, a dot, the event. The name of an emitter has
    /// no dot.
    public func emissionName(_ event: Event) -> String { "\(loop).\(event.name)" }

    // MARK: The C struct of any event: `{ int32_t tag; union { …payloads with fields… } as; }`

    /// Distance in bytes from the tag to the payload.
    public var payloadOffset: Int { CStructure.round(4, to: payloadAlignment) }

    /// Size in bytes of the struct; the size of the tag if no event has fields.
    public var eventSize: Int {
        let payload = payloads.map(\.size).max() ?? 0
        return CStructure.round(payloadOffset + payload, to: payloadAlignment)
    }

    private var payloadAlignment: Int { max(4, payloads.map(\.alignment).max() ?? 0) }

    private var payloads: [RecordType] { events.map(\.type).filter { !$0.fields.isEmpty } }
}
