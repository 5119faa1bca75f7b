public import Records

/// The records of one loop as C code sees them: what `spinhost header` writes into a header, and what a plugin that was
/// compiled with it says it knows.
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
    /// Its events in order: an event's position is its tag.
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

    /// What an effect's emission of an event is called: the loop, a dot, the event. No emitter has a dot in its name.
    public func emissionName(_ event: Event) -> String { "\(loop).\(event.name)" }

    // MARK: The C struct of any event: `{ int32_t tag; union { …payloads with fields… } as; }`

    /// Distance in bytes from the tag to the payload.
    public var payloadOffset: Int { CStructure.round(4, to: payloadAlignment) }

    /// Size in bytes of the struct; that of the tag alone when no event has fields.
    public var eventSize: Int {
        let payload = payloads.map(\.size).max() ?? 0
        return CStructure.round(payloadOffset + payload, to: payloadAlignment)
    }

    private var payloadAlignment: Int { max(4, payloads.map(\.alignment).max() ?? 0) }

    private var payloads: [RecordType] { events.map(\.type).filter { !$0.fields.isEmpty } }
}
